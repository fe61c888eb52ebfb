// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct ErrorCodeTests {
    @Test func namedCodesHaveTheNumbersOfTheSpecification() {
        #expect(ErrorObject.Code.parseError == -32700)
        #expect(ErrorObject.Code.invalidRequest == -32600)
        #expect(ErrorObject.Code.methodNotFound == -32601)
        #expect(ErrorObject.Code.invalidParams == -32602)
        #expect(ErrorObject.Code.internalError == -32603)
    }

    @Test(arguments: [
        (ErrorObject.Code(rawValue: -32769), false, false), (-32768, true, false), (-32603, true, false),
        (-32100, true, false), (-32099, true, true), (-32000, true, true), (-31999, false, false), (0, false, false),
        (1, false, false),
    ])
    func rangesEndWhereTheSpecificationSays(code: ErrorObject.Code, isReserved: Bool, isServerError: Bool) {
        #expect(code.isReserved == isReserved)
        #expect(code.isServerError == isServerError)
    }

    @Test func standardMessageIsThatOfTheSpecification() {
        #expect(ErrorObject.Code.methodNotFound.standardMessage == "Method not found")
        #expect(ErrorObject.Code(rawValue: -32050).standardMessage == "Server error")
        #expect(ErrorObject.Code(rawValue: -32100).standardMessage == nil)
    }

    @Test(arguments: [Int.min, -32700, 0, .max])
    func codingGivesTheSameCodeBack(number: Int) throws {
        let json = try RawJSON(encoding: ErrorObject.Code(rawValue: number))
        #expect(json.text == String(number))
        #expect(try json.decode(as: ErrorObject.Code.self).rawValue == number)
    }
}
