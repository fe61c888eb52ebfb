// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing
import ToolSupport

@testable import jsonrpc

@Suite(.inTurn) struct JSONFormatterTests {
    private func format(_ text: String, _ style: JSONFormatter.Style) throws -> String {
        String(decoding: JSONFormatter(style: style).format(try RawJSON(validating: text)), as: UTF8.self)
    }

    @Test func prettyPutsEachMemberOnItsLine() throws {
        let expected = """
            {
              "version": "1.36.0",
              "list": [
                1,
                -2.50,
                {
                  "deep": [
                    null
                  ]
                }
              ],
              "none": {},
              "empty": []
            }
            """
        let text = #"{"version":"1.36.0","list":[1,-2.50,{"deep":[null]}],"none":{ },"empty":[ ]}"#
        #expect(try format(text, .pretty) == expected)
    }

    @Test(arguments: [#""a: b, {c}\" [d]""#, "42", "null", "1e400", "{}", "[]"])
    func scalarsAndEmptyContainersStayOnOneLine(_ text: String) throws {
        #expect(try format(text, .pretty) == text)
        #expect(try format(text, .compact) == text)
    }

    @Test func compactLeavesOutWhiteSpaceOutsideStringsOnly() throws {
        #expect(
            try format("{ \"a b\" :\t[ 1 ,\r\n 2 ] , \"c\" : \" x \\\\\" }", .compact)
                == #"{"a b":[1,2],"c":" x \\"}"#)
    }

    @Test func prettyAndCompactAreInverse() throws {
        let text = #"{"a":[{"b":"\\\"","c":[[],{}]},1.0,"ü"],"a":null}"#
        #expect(try format(format(text, .pretty), .compact) == text)
    }
}

@Suite(.inTurn) struct DecimalTextTests {
    @Test(arguments: [
        (0.0, 3, "0.000"), (1.0005, 3, "1.001"), (12.3456, 1, "12.3"), (0.04, 1, "0.0"), (1e9, 2, "1000000000.00"),
        (-0.25, 2, "-0.25"), (7.5, 0, "8"), (.nan, 1, "0"), (.infinity, 1, "0"),
    ])
    func fixedWritesAllDigitsAndNoExponent(_ value: Double, _ digits: Int, _ expected: String) {
        #expect(DecimalText.fixed(value, digits: digits) == expected)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1 000"), (1_234_567, "1 234 567")])
    func groupedSeparatesThousands(_ value: UInt64, _ expected: String) {
        #expect(DecimalText.grouped(value) == expected)
    }
}

@Suite(.inTurn) struct ErrorObjectTextTests {
    @Test func hasDataOnlyWhereThereIsSome() throws {
        let plain = ErrorObject(code: .methodNotFound, message: "no \"such\" method")
        #expect(try RawJSON(encoding: plain).text == #"{"code":-32601,"message":"no \"such\" method"}"#)
        let full = ErrorObject(code: ErrorObject.Code(rawValue: 7), message: "", data: try RawJSON(validating: "[1]"))
        #expect(try RawJSON(encoding: full).text == #"{"code":7,"message":"","data":[1]}"#)
    }
}
