// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

struct Subtract: JSONRPCRequest {
    typealias Response = Int
    var minuend: Int, subtrahend: Int
    var method: String { "subtract" }
    var params: [Int] { [minuend, subtrahend] }
}

struct CountCharacters: JSONRPCRequest {
    typealias Response = Int
    var characters: String
    var method: String { "count_characters" }
    var params: ByName { ["characters": characters] }
}

struct Log: JSONRPCNotification {
    var line: String
    var method: String { "log" }
    var params: [String] { [line] }

    init(_ line: String) { self.line = line }
}

extension Result where Failure == CallError {
    /// The error; nil for a success.
    var callError: CallError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
