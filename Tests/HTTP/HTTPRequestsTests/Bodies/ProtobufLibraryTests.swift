// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import TestTurns
import Testing

/// The relevant methods of SwiftProtobuf, with their generic types and default arguments.
private enum SwiftProtobuf {
    protocol Message: Sendable {
        init()
        mutating func merge(_ bytes: [UInt8]) throws
        var contents: [UInt8] { get }
    }
}

extension SwiftProtobuf.Message {
    init(serializedBytes bytes: some Sequence<UInt8>, partial: Bool = false) throws {
        self.init()
        try merge(Array(bytes))
    }

    func serializedBytes<Bytes: RangeReplaceableCollection<UInt8>>(partial: Bool = false) throws -> Bytes {
        Bytes(contents)
    }
}

extension ProtobufMessage where Self: SwiftProtobuf.Message {
    init(protobufBytes bytes: [UInt8]) throws { try self.init(serializedBytes: bytes) }
    func protobufBytes() throws -> [UInt8] { try serializedBytes() }
}

private struct Person: SwiftProtobuf.Message {
    private(set) var contents: [UInt8] = []

    mutating func merge(_ bytes: [UInt8]) { contents += bytes }
}

extension Person: ProtobufMessage {}

@Suite("Messages of a library for Protocol Buffers", .inTurn)
struct ProtobufLibraryTests {
    @Test func aMessageAdoptsTheProtocolInOneLine() throws {
        let person = try Person(protobufBytes: [0x0A, 0x01, 0x78])
        let entity = try ProtobufHTTPBody(person).buildEntity()
        guard case .bytes(let bytes) = entity.content else { return #expect(Bool(false), "not in memory") }
        #expect(bytes == [0x0A, 0x01, 0x78])
        let direct = try ProtobufHTTPBody { try person.serializedBytes() }.buildEntity()
        #expect(direct.length == 3)
    }
}
