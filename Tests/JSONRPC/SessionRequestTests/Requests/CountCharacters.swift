// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

struct CountCharacters: JSONRPCRequest {
    typealias Response = Int
    var characters: String
    var method: String { "count_characters" }
    var params: ByName { ["characters": characters] }
}
