// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn(within: .seconds(60))) struct ServerMethodsTests {
    private func json(_ text: String) throws -> RawJSON { try RawJSON(validating: text) }

    @Test func echoGivesBackItsParams() throws {
        #expect(ServerMethods.echo(try json(#"{ "a": 1.0 }"#)).text == #"{ "a": 1.0 }"#)
        #expect(ServerMethods.echo(nil) == .null)
    }

    @Test(arguments: [
        ("[]", "0"), ("[1,2,3]", "6"), (#"{"a":1,"b":-4}"#, "-3"), ("[0.5,1]", "1.5"),
        ("[9223372036854775807,1]", "9.223372036854776e+18"),
    ])
    func addSumsUp(_ params: String, _ expected: String) throws {
        #expect(try ServerMethods.add(json(params)).text == expected)
    }

    @Test(arguments: ["[42,23]", #"{"subtrahend":23,"minuend":42}"#])
    func subtractTakesParamsByPositionAndByName(_ params: String) throws {
        #expect(try ServerMethods.subtract(json(params)).text == "19")
    }

    @Test(arguments: ["[]", "[1]", #"["a",1]"#, #"{"minuend":1}"#, "[1e999,1]", "[[1],2]"])
    func subtractRefusesOtherParams(_ params: String) throws {
        let params = try json(params)
        #expect { _ = try ServerMethods.subtract(params) } throws: { ($0 as? ErrorObject)?.code == .invalidParams }
    }

    @Test func failAnswersWithTheErrorAskedFor() throws {
        let params = try json(#"{"code":7,"message":"seven","data":{"x":1}}"#)
        #expect(throws: ErrorObject(code: ErrorObject.Code(rawValue: 7), message: "seven", data: try json(#"{"x":1}"#)))
        {
            try ServerMethods.fail(params)
        }
        #expect(throws: ErrorObject(code: ErrorObject.Code(rawValue: -32000), message: "Failed as requested.")) {
            try ServerMethods.fail(nil)
        }
    }

    @Test(arguments: ["[-1]", "[3601]", "[]", #"["x"]"#])
    func sleepRefusesTimesOutOfRange(_ params: String) async throws {
        let params = try json(params)
        await #expect { _ = try await ServerMethods.sleep(params) } throws: {
            ($0 as? ErrorObject)?.code == .invalidParams
        }
    }

    @Test func sleepAnswersWithItsTime() async throws {
        #expect(try await ServerMethods.sleep(json("[0]")).text == "0")
    }

    @Test func aPauseLastsItsTime() async throws {
        let begin = ContinuousClock.now
        try await ServerMethods.pause(for: .milliseconds(20))
        #expect(.now - begin >= .milliseconds(20))
    }

    @Test func aPauseGoesOnWhenAnotherIsCancelled() async throws {
        let long = Task { try await ServerMethods.pause(for: .milliseconds(100)) }
        let short = Task { try await ServerMethods.sleep(json("[3600]")) }
        short.cancel()
        await #expect(throws: CancellationError.self) { try await short.value }
        try await long.value
    }
}
