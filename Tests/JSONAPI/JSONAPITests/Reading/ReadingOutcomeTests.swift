// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONAPI
import TestTurns
import Testing

/// Random documents have the values, the errors and the pointers that were recorded and reviewed.
///
/// Each line of `ReadingOutcomes.txt` has the seed of a document, its number, a digest of everything that is read from
/// it, and the errors. With `RECORD_GOLDEN=1` in the environment, the test writes a new file, and fails.
@Suite(.inTurn)
struct ReadingOutcomeTests {
    private static let url = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../ReadingOutcomes.txt")

    /// Reads the documents, and returns their lines.
    private func lines(_ make: ([UInt8], ResourceOptions) throws -> JSONAPIDocument) -> [String] {
        var lines: [String] = []
        for seed in 1...12 as ClosedRange<UInt64> {
            // The documents of the first seeds have nothing unusual.
            var generator = CompoundDocumentGenerator(seed: seed, oddity: seed < 4 ? 0 : Int(seed) / 2)
            for number in 0..<80 {
                let bytes = Array(generator.document().utf8)
                let outcome = ReadingOutcome { try make(bytes, $0) }
                let errors = outcome.errors.map { $0.replacing("\n", with: " ") }
                lines.append(([String(seed), String(number), outcome.digest] + errors).joined(separator: "\t"))
            }
        }
        return lines
    }

    @Test func documentsHaveTheRecordedValuesAndErrors() throws {
        let received = lines { try JSONAPIDocument(parsing: $0, options: $1) }
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
            try Data((received.joined(separator: "\n") + "\n").utf8).write(to: Self.url)
            Issue.record("\(Self.url.lastPathComponent) was written anew")
        }
        try expectRecorded(received)
    }

    /// A document that was read before has the same values as its text.
    @Test func documentsOfProgramsHaveTheRecordedValuesAndErrors() throws {
        try expectRecorded(lines { JSONAPIDocument(try RawDocument(parsing: $0), options: $1) })
    }

    private func expectRecorded(_ lines: [String]) throws {
        let recorded = try String(contentsOf: Self.url, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines.count == recorded.count)
        for (line, recorded) in zip(lines, recorded) where line != recorded {
            Issue.record("\(line) is not \(recorded)")
        }
    }
}
