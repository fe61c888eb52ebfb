// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession

/// A request whose params are its number.
struct Numbered: JSONRPCRequest {
    typealias Response = Int
    var number: Int
    var isIdempotent = false
    var method: String { "number" }
    var params: [Int] { [number] }

    static func upTo(_ count: Int, isIdempotent: Bool = false) -> [Numbered] {
        (0..<count).map { Numbered(number: $0, isIdempotent: isIdempotent) }
    }
}
