// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON

/// RFC 8259, case by case, from a table of this project and from JSONTestSuite.
@Suite("Conformance with RFC 8259", .inTurn)
struct ConformanceTests {
    enum Input: Sendable {
        case text(String)
        case bytes([UInt8])

        var bytes: [UInt8] {
            switch self {
            case .text(let text): Array(text.utf8)
            case .bytes(let bytes): bytes
            }
        }
    }

    enum Outcome: Sendable { case accepted, refused }

    struct Case: Sendable, CustomTestStringConvertible {
        var input: Input
        var outcome: Outcome
        /// The section of RFC 8259 that defines the outcome.
        var section: String

        init(_ input: Input, _ outcome: Outcome, _ section: String) {
            (self.input, self.outcome, self.section) = (input, outcome, section)
        }

        var testDescription: String { "\(String(decoding: input.bytes, as: UTF8.self)) (section \(section))" }
    }

    /// All readers must give the same result for a text.
    static func expect(_ outcome: Outcome, _ bytes: [UInt8], _ name: String) {
        let isAccepted = outcome == .accepted
        #expect(((try? RawJSON(validating: bytes)) != nil) == isAccepted, "\(name)")
        #expect(((try? JSONValue(parsing: bytes)) != nil) == isAccepted, "\(name)")
        #expect(((try? WireJSONDecoder().decode(Anything.self, from: bytes)) != nil) == isAccepted, "\(name)")
    }

    /// Decodes from any text that is JSON.
    struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }

    @Test(arguments: [numbers, strings, containers, structure].joined())
    func caseOfTheTable(_ row: Case) {
        Self.expect(row.outcome, row.input.bytes, row.testDescription)
    }

    @Test func deepTextsThatNeverEndAreRefused() {
        Self.expect(.refused, Array(repeating: UInt8(ascii: "["), count: 100_000), "opening arrays")
        Self.expect(.refused, Array(String(repeating: "[{\"\":", count: 50_000).utf8), "opening arrays and objects")
    }

    /// The files of `test_parsing` whose outcome RFC 8259 defines. They are beside the tests, with their licence.
    @Test func jsonTestSuite() throws {
        let parsing = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("JSONTestSuite/test_parsing")
        var count = (accepted: 0, refused: 0)
        for file in try FileManager.default.contentsOfDirectory(at: parsing, includingPropertiesForKeys: nil) {
            let name = file.lastPathComponent
            let bytes = Array(try Data(contentsOf: file))
            if name.hasPrefix("y_") {
                Self.expect(.accepted, bytes, name)
                count.accepted += 1
            } else if name.hasPrefix("n_") {
                Self.expect(.refused, bytes, name)
                count.refused += 1
            }
        }
        #expect(count == (95, 188))
    }
}
