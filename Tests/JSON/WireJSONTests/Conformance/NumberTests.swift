// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON

@Suite("Numbers", .inTurn)
struct NumberTests {
    static let count = ProcessInfo.processInfo.environment["WIREJSON_DOUBLES"].flatMap { Int($0) } ?? 100_000

    static func read(_ text: String) throws -> Double {
        try WireJSONDecoder().decode(Double.self, from: Array(text.utf8))
    }

    @Test func everySampledDoubleMakesTheRoundTrip() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<Self.count {
            let double = Double(bitPattern: random.next())
            guard double.isFinite else { continue }
            let text: [UInt8] = try WireJSONEncoder().encode(double)
            let back = try WireJSONDecoder().decode(Double.self, from: text)
            if back.bitPattern != double.bitPattern { Issue.record("\(double) became \(back)") }
        }
    }

    /// The standard library rounds decimal text correctly, so any other result is wrong.
    @Test func decimalTextsOfAnyShapeAreRoundedCorrectly() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<Self.count {
            var text = Bool.random(using: &random) ? "-" : ""
            text += String(Int.random(in: 1...9, using: &random))
            for _ in 0..<Int.random(in: 0..<24, using: &random) {
                text += String(Int.random(in: 0...9, using: &random))
            }
            if Bool.random(using: &random) {
                text += "."
                for _ in 0...Int.random(in: 0..<24, using: &random) {
                    text += String(Int.random(in: 0...9, using: &random))
                }
            }
            if Bool.random(using: &random) { text += "e\(Int.random(in: -345...280, using: &random))" }
            let expected = try #require(Double(text))
            if try Self.read(text).bitPattern != expected.bitPattern {
                Issue.record("\(text) became \(try Self.read(text))")
            }
        }
    }

    /// Numbers half way between two doubles, and with the last digit off by one.
    @Test func halfWayCasesGoToTheEvenNeighbour() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<(Self.count / 20) {
            let integer = (UInt64(1) << 53) + random.next() >> 11
            // This odd multiple is half way between two doubles. As an integer, it is exact in decimal.
            let shift = Int.random(in: 1...10, using: &random)
            let (half, overflow) = (2 * integer + 1).multipliedReportingOverflow(by: UInt64(1) << UInt64(shift - 1))
            if overflow { continue }
            for text in ["\(half)", "\(half).0", "\(half).00000000000000000001", "\(half - 1).99999999999999999999"] {
                let expected = try #require(Double(text))
                if try Self.read(text) != expected { Issue.record("\(text) became \(try Self.read(text))") }
            }
        }
    }

    @Test(arguments: [
        "1.7976931348623157e308", "1.7976931348623158e308", "2.2250738585072014e-308", "2.2250738585072011e-308",
        "4.9406564584124654e-324", "2.4703282292062328e-324", "2.4703282292062327e-324", "9007199254740993",
        "9007199254740992.999999999999999999", "0.000000000000000000000000000000000000000000001e45", "1e22", "1e23",
        "8.5e-323", "123456789012345678901234567890e-300", "6.02214076e23", "1e-22", "3.0e-5", "0.1e1", "1e0000000005",
        "1e-0000000005", "9999999999999999999", "18446744073709551615e3", "1.00000000000000011102230246251565",
        "1.00000000000000011102230246251566", "7.2057594037927933e16", "9.5e-320", "2.2250738585072012e-308",
    ])
    func edgesAreRoundedCorrectly(text: String) throws {
        #expect(try Self.read(text).bitPattern == Double(text)?.bitPattern)
        #expect(try Self.read("-" + text).bitPattern == Double("-" + text)?.bitPattern)
    }

    /// Decimals with few digits have a fast path. The standard library is the reference.
    @Test func shortDecimalsAreWrittenAsTheStandardLibraryWritesThem() throws {
        let powers: [Double] = [10, 100, 1000, 1e4, 1e5, 1e6]
        let bounds = [10, 1000, 1_000_000, 1_000_000_000, 1_000_000_000_000_000]
        for round in 0..<20_000 {
            let (power, bound) = (powers[round % powers.count], bounds[round % bounds.count])
            let near = Double(Int.random(in: -bound...bound)) / power
            for value in [near, near.nextUp, near.nextDown, near * 3, near / 3] where value.rounded() != value {
                let text: [UInt8] = try WireJSONEncoder().encode([value])
                #expect(String(decoding: text, as: UTF8.self) == "[\(value)]")
            }
        }
    }

    @Test func integersAtEveryEdgeMakeTheRoundTrip() throws {
        var edges: Set<Int128> = [0]
        for bits in 0...64 {
            for offset in -2...2 {
                edges.insert((1 << Int128(bits)) + Int128(offset))
                edges.insert(-(1 << Int128(bits)) + Int128(offset))
            }
        }
        for power in 0...19 {
            let value = (0..<power).reduce(Int128(1)) { value, _ in value * 10 }
            edges.formUnion([value - 1, value, value + 1, -value, -value - 1, -value + 1])
        }
        for edge in edges {
            try expectRoundTrip(edge, as: Int.self)
            try expectRoundTrip(edge, as: UInt64.self)
            try expectRoundTrip(edge, as: Int8.self)
            try expectRoundTrip(edge, as: UInt16.self)
            try expectRoundTrip(edge, as: Int32.self)
        }
    }

    private func expectRoundTrip<T: FixedWidthInteger & Codable>(_ edge: Int128, as type: T.Type) throws {
        let text = Array("[\(edge)]".utf8)
        if let value = T(exactly: edge) {
            #expect(try WireJSONDecoder().decode([T].self, from: text) == [value])
            #expect(try WireJSONEncoder().encode([value]) == text)
        } else {
            #expect(throws: DecodingError.self) { try WireJSONDecoder().decode([T].self, from: text) }
        }
    }
}
