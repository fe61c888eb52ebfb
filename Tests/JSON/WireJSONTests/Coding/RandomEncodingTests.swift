// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON

/// Types that write random values through several open containers, with this module's encoder and Foundation's.
@Suite(.inTurn) struct RandomEncodingTests {
    @Test func anyOrderOfWritingGivesTheSameValue() async throws {
        var random = SeededGenerator(seed: 20_261_122)
        for index in 0..<DifferentialTests.count / 10 {
            if index.isMultiple(of: 100) { await Task.yield() }
            let value = Writing(seed: random.next())
            let ours = try JSONValue(parsing: WireJSONEncoder().encode(value) as [UInt8])
            let theirs = try JSONValue(parsing: Array(JSONEncoder().encode(value)))
            #expect(ours == theirs, "seed \(value.seed)")
        }
    }
}

/// A value that writes at random, in the same way each time.
private struct Writing: Encodable {
    let seed: UInt64
    var depth = 0

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    private enum Open {
        case keyed(KeyedEncodingContainer<Name>)
        case unkeyed(any UnkeyedEncodingContainer)
        case encoder(any Encoder)
    }

    func encode(to encoder: any Encoder) throws {
        var random = SeededGenerator(seed: seed)
        var open: [Open] = [.encoder(encoder)]
        // An encoder that was not used means no value, so the first one is used at once.
        try write(&open, 0, &random)
        for _ in 0..<Int.random(in: 0...12, using: &random) where !open.isEmpty {
            try write(&open, Int.random(in: open.indices, using: &random), &random)
        }
    }

    private func write(_ open: inout [Open], _ index: Int, _ random: inout SeededGenerator) throws {
        switch open[index] {
        case .encoder(let encoder):
            switch Int.random(in: 0..<(depth > 2 ? 3 : 2), using: &random) {
            case 0: open[index] = .keyed(encoder.container(keyedBy: Name.self))
            case 1: open[index] = .unkeyed(encoder.unkeyedContainer())
            default:
                var container = encoder.singleValueContainer()
                try container.encode(Int.random(in: 0..<100, using: &random))
                open.remove(at: index)
            }
        case .keyed(var container):
            try write(&container, &open, &random)
            if case .keyed = open[index] { open[index] = .keyed(container) }
        case .unkeyed(var container):
            try write(&container, &open, &random)
            if case .unkeyed = open[index] { open[index] = .unkeyed(container) }
        }
    }

    private func write(
        _ container: inout KeyedEncodingContainer<Name>, _ open: inout [Open], _ random: inout SeededGenerator
    ) throws {
        let isWide = Int.random(in: 0..<20, using: &random) == 0
        let name = Name("k\(Int.random(in: 0..<6, using: &random))")
        let fresh = Name("n\(random.next())")
        switch Int.random(in: 0..<12, using: &random) {
        case 0: try container.encodeNil(forKey: name)
        case 1: try container.encode(Int.random(in: 0..<100, using: &random), forKey: name)
        case 2: try container.encode("text \"\(random.next())\" é", forKey: name)
        case 3: try container.encodeIfPresent(Bool.random(using: &random) ? 1.5 : nil, forKey: name)
        case 4: try container.encode([1, 2, nil], forKey: name)
        case 5: try container.encode(["a": ["b": random.next()]], forKey: name)
        case 6, 7:
            guard depth < 4 else { return }
            let value = Writing(seed: random.next(), depth: depth + 1)
            try container.encode(value, forKey: Bool.random(using: &random) ? fresh : name)
        case 8: open.append(.keyed(container.nestedContainer(keyedBy: Name.self, forKey: fresh)))
        case 9: open.append(.unkeyed(container.nestedUnkeyedContainer(forKey: fresh)))
        case 10: open.append(.encoder(container.superEncoder(forKey: fresh)))
        default:
            for number in 0..<(isWide ? 80 : 1) { try container.encode(number, forKey: Name("w\(number)")) }
        }
    }

    private func write(
        _ container: inout any UnkeyedEncodingContainer, _ open: inout [Open], _ random: inout SeededGenerator
    ) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try container.encodeNil()
        case 1: try container.encode(Int.random(in: 0..<100, using: &random))
        case 2: try container.encode("text \(random.next())")
        case 3: try container.encode([true, false])
        case 4: try container.encode(contentsOf: [1.5, 2.25])
        case 5, 6:
            guard depth < 4 else { return }
            try container.encode(Writing(seed: random.next(), depth: depth + 1))
        case 7: open.append(.keyed(container.nestedContainer(keyedBy: Name.self)))
        case 8: open.append(.unkeyed(container.nestedUnkeyedContainer()))
        default:
            // If several super encoders are open, Foundation writes the later one before the earlier one.
            try 0.5.encode(to: container.superEncoder())
        }
    }
}
