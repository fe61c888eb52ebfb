// swift-jsonrpc · SPDX-License-Identifier: MIT

#if DateFormatterSupport
    import Foundation
    import TestTurns
    import Testing
    import WireJSON

    @Suite(.inTurn) struct DateFormatterTests {
        private struct Model: Codable, Equatable {
            var date: Date
            var dates: [Date]
        }

        private static func formatter() -> DateFormatter {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(identifier: "UTC")
            formatter.dateFormat = "yyyy/MM/dd HH:mm:ss"
            return formatter
        }

        @Test func datesAreWrittenAndReadAsByFoundationsCoders() throws {
            let model = Model(date: Date(timeIntervalSince1970: 1), dates: [Date(timeIntervalSince1970: 1e9)])
            var encoder = WireJSONEncoder()
            encoder.dateEncodingStrategy = .formatted(Self.formatter())
            encoder.outputFormatting = .sortedKeys
            let theirs = JSONEncoder()
            theirs.dateEncodingStrategy = .formatted(Self.formatter())
            theirs.outputFormatting = .sortedKeys
            let text: Data = try encoder.encode(model)
            #expect(try text == theirs.encode(model))
            var decoder = WireJSONDecoder()
            decoder.dateDecodingStrategy = .formatted(Self.formatter())
            #expect(try decoder.decode(Model.self, from: text) == model)
        }

        @Test func dateInAnotherFormIsRefusedWithItsPath() throws {
            var decoder = WireJSONDecoder()
            decoder.dateDecodingStrategy = .formatted(Self.formatter())
            #expect {
                try decoder.decode(Model.self, from: Array(#"{"date":"1.1.1970","dates":[]}"#.utf8))
            } throws: { error in
                guard case DecodingError.dataCorrupted(let context) = error else { return false }
                return context.codingPath.map(\.stringValue) == ["date"]
            }
        }
    }
#endif
