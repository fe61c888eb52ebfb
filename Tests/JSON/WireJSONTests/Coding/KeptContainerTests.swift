// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

/// The boxes of keyed containers are reused. A container must have its own box as long as it is alive.
@Suite(.inTurn) struct KeptContainerTests {
    private enum Key: String, CodingKey {
        case name, next
    }

    private struct Kept: Decodable {
        let container: KeyedDecodingContainer<Key>

        init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Key.self) }
    }

    @Test func keyedContainerThatIsKeptReadsOnWhileOthersAreDecoded() throws {
        let kept = try (0..<50).map { number in
            try WireJSONDecoder().decode(
                Kept.self, from: Array(#"{"name":"a name too long for a word, number \#(number)"}"#.utf8))
        }
        for (number, value) in kept.enumerated() {
            #expect(
                try value.container.decode(String.self, forKey: .name) == "a name too long for a word, number \(number)"
            )
        }
    }

    @Test func nestedContainersOfAKeptOneReadOn() throws {
        var kept: Kept? = try WireJSONDecoder().decode(Kept.self, from: Array(#"{"next":{"name":"inner"}}"#.utf8))
        let inner = try #require(try kept?.container.nestedContainer(keyedBy: Key.self, forKey: .next))
        kept = nil
        for _ in 0..<10 { _ = try WireJSONDecoder().decode(Kept.self, from: Array(#"{"name":"other"}"#.utf8)) }
        #expect(try inner.decode(String.self, forKey: .name) == "inner")
    }

    private final class Node: Codable {
        var name: Int
        var next: Node?

        init(name: Int, next: Node?) {
            self.name = name
            self.next = next
        }
    }

    @Test func manyOpenContainersOfOneTypeOfKeysStayApart() throws {
        let depth = 200
        var list: Node?
        for name in 0..<depth { list = Node(name: name, next: list) }
        let text: [UInt8] = try WireJSONEncoder().encode(list)
        var node = try WireJSONDecoder().decode(Node?.self, from: text)
        for name in (0..<depth).reversed() {
            #expect(node?.name == name)
            node = node?.next
        }
        #expect(node == nil)
    }

    private final class Keeper: Encodable {
        var container: KeyedEncodingContainer<Key>?

        func encode(to encoder: any Encoder) throws {
            container = encoder.container(keyedBy: Key.self)
            try container?.encode("mine", forKey: .name)
        }
    }

    @Test func keyedContainerThatIsKeptDoesNotWriteIntoLaterTexts() throws {
        let keeper = Keeper()
        let text: [UInt8] = try WireJSONEncoder().encode(keeper)
        #expect(String(decoding: text, as: UTF8.self) == #"{"name":"mine"}"#)
        // This is too late: the text was already returned.
        try? keeper.container?.encode("lost", forKey: .next)
        let other: [UInt8] = try WireJSONEncoder().encode(Keeper())
        #expect(String(decoding: other, as: UTF8.self) == #"{"name":"mine"}"#)
    }
}
