// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The document that the server answers a `GET` with.
struct Repository: Decodable, Sendable {
    struct Owner: Decodable, Sendable {
        var id: Int
        var login: String
    }

    var id: Int
    var name: String
    var owner: Owner
    var isPrivate: Bool
    var stars: Int
    var topics: [String]
    var description: String?
}

/// The body of a `POST`, which the server sends back, and the params of a JSON-RPC call.
struct Order: Codable, Sendable, Hashable {
    var symbol = "SWFT"
    var quantity = 100
    var price = 187.25
    var isBuy = true
}

/// A JSON-RPC request and its response, for the exchange by hand.
struct HandMadeRequest: Encodable {
    var jsonrpc = "2.0"
    var id: Int
    var method = "echo"
    var params = Order()
}

struct HandMadeResponse: Decodable {
    var id: Int
    var result: Order
}

struct WrongAnswer: Error {}

/// An encoder like the one that bodies of requests use.
let encoder: WireJSONEncoder = {
    var encoder = WireJSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return encoder
}()
