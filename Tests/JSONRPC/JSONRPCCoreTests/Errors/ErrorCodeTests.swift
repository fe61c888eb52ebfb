// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct ErrorCodeTests {
    @Test func namedCodesHaveTheNumbersOfTheSpecification() {
        #expect(ErrorCode.parseError == -32700)
        #expect(ErrorCode.invalidRequest == -32600)
        #expect(ErrorCode.methodNotFound == -32601)
        #expect(ErrorCode.invalidParams == -32602)
        #expect(ErrorCode.internalError == -32603)
    }

    @Test(arguments: [
        (ErrorCode(rawValue: -32769), false, false), (-32768, true, false), (-32603, true, false),
        (-32100, true, false), (-32099, true, true), (-32000, true, true), (-31999, false, false), (0, false, false),
        (1, false, false),
    ])
    func rangesEndWhereTheSpecificationSays(code: ErrorCode, isReserved: Bool, isServerError: Bool) {
        #expect(code.isReserved == isReserved)
        #expect(code.isServerError == isServerError)
    }

    @Test func standardMessageIsThatOfTheSpecification() {
        #expect(ErrorCode.methodNotFound.standardMessage == "Method not found")
        #expect(ErrorCode(rawValue: -32050).standardMessage == "Server error")
        #expect(ErrorCode(rawValue: -32100).standardMessage == nil)
    }

    @Test(arguments: [Int.min, -32700, 0, .max])
    func codingGivesTheSameCodeBack(number: Int) throws {
        let json = try RawJSON(encoding: ErrorCode(rawValue: number))
        #expect(json.text == String(number))
        #expect(try json.decode(as: ErrorCode.self).rawValue == number)
    }
}
