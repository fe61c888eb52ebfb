// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

/// JSON values from a program's own values.
@Suite(.inTurn) struct JSONValueMakingTests {
    private struct Point: Codable {
        var x: Int
    }

    @Test func numbersAreExact() throws {
        let (int, unsigned, byte, double) = (42, UInt64.max, Int8(-1), 1.5)
        #expect(JSONValue(int) == 42)
        #expect(JSONValue(unsigned).description == "18446744073709551615")
        #expect(JSONValue(byte).intValue == -1)
        #expect(JSONValue(double) == 1.5)
        #expect(JSONValue(Int.min).intValue == .min)
        #expect(JSONValue(UInt64.max).numberValue?.uint64 == .max)
        #expect(JSONValue(Int128.max).description == "170141183460469231731687303715884105727")
        #expect(JSONValue(Int128.min).description == "-170141183460469231731687303715884105728")
        #expect(JSONValue(Double.infinity) == nil)
        #expect(JSONValue(Double.nan) == nil)
    }

    @Test func stringsBooleansAndEncodableValues() throws {
        let (name, flag) = ("disk", true)
        #expect(JSONValue(name) == "disk")
        #expect(JSONValue(flag) == true)
        #expect(try JSONValue(encoding: Point(x: 1)) == ["x": 1])
        #expect(try JSONValue(encoding: "text") == "text")
        #expect(try JSONValue(encoding: ["a": 1] as JSONValue) == ["a": 1])
        #expect(throws: EncodingError.self) { try JSONValue(encoding: [Double.nan]) }
    }

    @Test func stringsAreInterpolated() {
        let token = "x"
        let value: JSONValue = ["token:\(token)", ["n": "\(1 + 1)"]]
        #expect(value == ["token:x", ["n": "2"]])
    }
}
