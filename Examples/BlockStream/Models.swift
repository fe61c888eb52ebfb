// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCWebSocket

/// A number as Ethereum writes it: `"0x1b4"`.
public struct Quantity: Codable, Hashable, Comparable, Sendable {
    public var value: UInt64

    public init(_ value: UInt64) { self.value = value }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard text.hasPrefix("0x"), let value = UInt64(text.dropFirst(2), radix: 16) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "expected a number such as \"0x1b4\" below 2^64, found \"\(text)\"")
        }
        self.value = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("0x" + String(value, radix: 16))
    }

    public static func < (left: Quantity, right: Quantity) -> Bool { left.value < right.value }
}

/// The header of a block.
public struct Header: Decodable, Hashable, Sendable {
    public var number: Quantity
    public var hash: String
    public var parentHash: String
}

/// An entry that a contract has written.
public struct Log: Decodable, Hashable, Sendable {
    public var blockNumber: Quantity
    public var logIndex: Quantity
    public var address: String
    public var topics: [String]
    public var data: String
}

/// The filter of a subscription to logs.
public struct LogFilter: Codable, Hashable, Sendable {
    public var address: String
    public var topics: [String]
    /// The first block, for `eth_getLogs`.
    public var fromBlock: Quantity?

    public init(address: String, topics: [String], fromBlock: Quantity? = nil) {
        self.address = address
        self.topics = topics
        self.fromBlock = fromBlock
    }
}

/// Gets a block without its transactions; `nil` if the chain is shorter.
public struct GetBlock: JSONRPCRequest {
    public typealias Response = Header?

    /// A number, or a word such as `latest`.
    public var block: JSONValue

    public init(_ number: Quantity) { block = JSONValue("0x" + String(number.value, radix: 16)) }

    private init(word: JSONValue) { block = word }

    public static let latest = GetBlock(word: "latest")

    public var method: String { "eth_getBlockByNumber" }
    public var params: [JSONValue] { [block, false] }
    public var isIdempotent: Bool { true }
}
