// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

struct Subtract: JSONRPCRequest {
    typealias Response = Int
    var minuend: Int, subtrahend: Int
    var method: String { "subtract" }
    var params: [Int] { [minuend, subtrahend] }
}

struct SubtractByName: JSONRPCRequest {
    struct Params: Encodable, Sendable {
        var subtrahend: Int, minuend: Int
    }

    typealias Response = Int
    var params: Params
    var method: String { "subtract" }
}

/// A request without params and without its own `Params`.
struct GetData: JSONRPCRequest {
    typealias Response = JSONValue
    var method: String { "get_data" }
}

struct Log: JSONRPCNotification {
    var line: String
    var method: String { "log" }
    var params: [String] { [line] }

    init(_ line: String) { self.line = line }
}

struct Search: JSONRPCRequest {
    typealias Response = [String]
    var params: [String: Int]?
    var method: String { "search" }
}

struct Refused: Error, Equatable {
    var reason: Int
}

/// Makes its response by hand.
struct CountOfMembers: JSONRPCRequest {
    typealias Response = Int
    var method: String { "members" }

    func response(from result: RawJSON, using coder: any MessageCoder) throws -> Int {
        guard let members = try JSONValue(result).objectValue else { throw Refused(reason: 7) }
        return members.count
    }
}

/// A method with params of any kind.
struct Dynamic<Params: Encodable & Sendable>: JSONRPCRequest {
    typealias Response = RawJSON
    var params: Params
    var method: String { "dynamic" }
}

extension Result where Failure == CallError {
    /// The error; `nil` for a success.
    var failure: CallError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
