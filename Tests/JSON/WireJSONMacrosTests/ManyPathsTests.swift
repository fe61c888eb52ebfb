// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON
import WireJSONMacros

@JSONCodable
private struct Row: Equatable {
    var id: Int
    var date: Date
    var value: Loose
}

@JSONCodable
private struct Page: Equatable {
    var rows: [Row]
    var values: [Loose]
}

/// Finding a path requires a scan of the text before it. With many paths, this would take minutes here.
@Suite(.inTurn(within: .seconds(60))) struct ManyPathsTests {
    private static let count = 20_000
    private static let page = Page(
        rows: (0..<count).map { Row(id: $0, date: Date(timeIntervalSince1970: 0), value: .text("\($0)")) },
        values: (0..<count).map { .text("\($0)") })

    private static func isPath(_ path: [any CodingKey], of number: Int) -> Bool {
        path.count == 3 && path[0].stringValue == "rows" && path[1].intValue == number && path[2].stringValue == "date"
    }

    @Test func decodersAskForThem() throws {
        let text: [UInt8] = try WireJSONEncoder().encode(Self.page)
        let paths = Paths()
        var decoder = WireJSONDecoder()
        decoder.dateDecodingStrategy = .custom {
            paths.note($0.codingPath)
            return Date(timeIntervalSince1970: 0)
        }
        #expect(try decoder.decode(Page.self, from: text) == Self.page)
        // The first dates are decoded twice: once before the coder falls back to `Codable`.
        let all = paths.all
        let again = all.count - Self.count
        #expect(again > 0 && again < 100)
        for number in 0..<again { #expect(Self.isPath(all[number], of: number)) }
        #expect((0..<Self.count).allSatisfy { Self.isPath(all[again + $0], of: $0) })
    }

    @Test func encodersAskForThem() throws {
        let paths = Paths()
        var encoder = WireJSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            paths.note(encoder.codingPath)
            try date.timeIntervalSince1970.encode(to: encoder)
        }
        let text: [UInt8] = try encoder.encode(Self.page)
        encoder.dateEncodingStrategy = .secondsSince1970
        #expect(try encoder.encode(Self.page) == text)
        let all = paths.all
        let again = all.count - Self.count
        #expect(again > 0 && again < 100)
        for number in 0..<again { #expect(Self.isPath(all[number], of: number)) }
        #expect((0..<Self.count).allSatisfy { Self.isPath(all[again + $0], of: $0) })
    }

    private final class Paths: @unchecked Sendable {  // Only the test's task uses it.
        private(set) var all: [[any CodingKey]] = []
        func note(_ path: [any CodingKey]) { all.append(path) }
    }

    // MARK: Misuse

    private enum Key: String, CodingKey { case value, stray }

    private final class Captured {
        var container: KeyedEncodingContainer<Key>?
    }

    /// Writes into the container around it, and encodes nothing or a container of its own.
    fileprivate struct Stray: Codable {
        nonisolated(unsafe) private let captured: Captured?  // Only the test's task uses it.
        private let hasContainer: Bool

        fileprivate init(_ captured: AnyObject, hasContainer: Bool) {
            self.captured = captured as? Captured
            self.hasContainer = hasContainer
        }
        init(from decoder: any Decoder) {
            captured = nil
            hasContainer = false
        }
        func encode(to encoder: any Encoder) throws {
            if hasContainer { _ = encoder.container(keyedBy: Key.self) }
            try captured?.container?.encode(1, forKey: .stray)
        }
    }

    private struct Around: Encodable {
        let captured = Captured()
        let hasContainer: Bool

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            captured.container = container
            try container.encode(Holder(stray: Stray(captured, hasContainer: hasContainer)), forKey: .value)
        }
    }

    @Test(arguments: [false, true]) func aValueThatWritesElsewhereIsAnError(hasContainer: Bool) {
        let around = Around(hasContainer: hasContainer)
        #expect(throws: EncodingError.self) { try Ways.throughCodable().encode(around) as [UInt8] }
        #expect(throws: EncodingError.self) { try WireJSONEncoder().encode(around) as [UInt8] }
    }
}

@JSONCodable
private struct Holder {
    var stray: ManyPathsTests.Stray
}
