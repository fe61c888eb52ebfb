// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// Bad messages over every transport: the outcomes of the calls that they name and of others, and the reports.
@Suite(.inTurn(within: .seconds(60))) struct BadInputBehaviourTests {
    /// A message that the peer sends while the calls 1 and 2 are in flight.
    struct Row: Sendable, CustomTestStringConvertible {
        enum Outcome: Sendable, Equatable {
            /// The call continues: a proper answer can still arrive.
            case pending
            case result(JSONValue)
            case error(ErrorObject)
            case violation(Irregularity)
        }

        var name: String
        var text: String
        /// The outcome of call 1. Call 2 is never affected.
        var outcome: Outcome
        var reported: [Irregularity]

        init(_ name: String, _ text: String, _ outcome: Outcome, _ reported: [Irregularity] = []) {
            self.name = name
            self.text = text
            self.outcome = outcome
            self.reported = reported
        }

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        // Not JSON
        Row("malformed, no id", #"{"jsonrpc":"2.0","result":}"#, .pending, [.malformedJSON]),
        Row(
            "malformed behind the id", #"{"jsonrpc":"2.0","id":1,"result":tru}"#, .violation(.malformedJSON),
            [.malformedJSON]),
        Row(
            "truncated behind the id", #"{"jsonrpc":"2.0","id":1,"result":[1,"#, .violation(.malformedJSON),
            [.malformedJSON]),
        Row("truncated within the id", #"{"jsonrpc":"2.0","id":1"#, .pending, [.malformedJSON]),
        Row("malformed, id within the result", #"{"jsonrpc":"2.0","result":{"id":1},"#, .pending, [.malformedJSON]),
        Row(
            "malformed request with our id", #"{"jsonrpc":"2.0","method":"m","id":1,"params":["#, .pending,
            [.malformedJSON]),
        Row("two objects", #"{"jsonrpc":"2.0","id":7,"result":1}{}"#, .pending, [.malformedJSON]),
        Row("byte order mark", "\u{FEFF}{}", .pending, [.malformedJSON]),
        Row(
            "too deep", #"{"jsonrpc":"2.0","id":1,"result":"# + String(repeating: "[", count: 100_000),
            .violation(.malformedJSON), [.malformedJSON]),
        Row(
            "65 deep",
            #"{"jsonrpc":"2.0","id":1,"result":"# + String(repeating: "[", count: 64)
                + String(repeating: "]", count: 64) + "}", .result(nested(64))),
        Row("empty", "", .pending, [.emptyMessage]),
        Row("white space", " \n", .pending, [.emptyMessage]),
        Row("new line behind", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":5}\r\n", .result(5)),
        // The id
        Row("unknown id", #"{"jsonrpc":"2.0","id":99,"result":5}"#, .pending, [.unknownResponse]),
        Row("id twice", #"{"jsonrpc":"2.0","id":1,"id":1,"result":5}"#, .pending, [.duplicateMembers, .duplicateID]),
        Row("id null", #"{"jsonrpc":"2.0","id":null,"result":5}"#, .pending, [.nullResponseID]),
        Row("id with a fraction", #"{"jsonrpc":"2.0","id":1.0,"result":5}"#, .pending, [.invalidID]),
        Row("id with lost digits", #"{"jsonrpc":"2.0","id":9.007199254740992e15,"result":5}"#, .pending, [.invalidID]),
        Row("id an array", #"{"jsonrpc":"2.0","id":[1],"result":5}"#, .pending, [.invalidID]),
        Row(
            "string for number", #"{"jsonrpc":"2.0","id":"1","result":5}"#, .violation(.stringForNumberID),
            [.stringForNumberID]),
        Row(
            "error with id null", #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#, .pending,
            [.nullResponseID]),
        Row(
            "error without id", #"{"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}}"#, .pending,
            [.missingResponseID]),
        // The version
        Row("no jsonrpc", #"{"id":1,"result":5}"#, .result(5), [.missingVersion]),
        Row("wrong version", #"{"jsonrpc":"1.0","id":1,"result":5}"#, .result(5), [.wrongVersion]),
        // Result and error
        Row(
            "both", #"{"jsonrpc":"2.0","id":1,"result":5,"error":{"code":1,"message":"m"}}"#,
            .violation(.bothResultAndError), [.bothResultAndError]),
        Row(
            "error null beside result", #"{"jsonrpc":"2.0","id":1,"result":5,"error":null}"#, .result(5),
            [.nullResultOrError]),
        Row("neither", #"{"jsonrpc":"2.0","id":1}"#, .violation(.neitherResultNorError), [.neitherResultNorError]),
        Row(
            "error without code", #"{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}"#, .violation(.missingErrorCode),
            [.missingErrorCode]),
        Row(
            "error a string", #"{"jsonrpc":"2.0","id":1,"error":"boom"}"#, .violation(.malformedError),
            [.malformedError]),
        Row(
            "code a string", #"{"jsonrpc":"2.0","id":1,"error":{"code":"-5","message":"m"}}"#,
            .error(ErrorObject(code: -5, message: "m")), [.errorCodeAsString]),
        Row(
            "code with a fraction", #"{"jsonrpc":"2.0","id":1,"error":{"code":-5.0,"message":"m"}}"#,
            .error(ErrorObject(code: -5, message: "m")), [.fractionalErrorCode]),
        Row(
            "error without message", #"{"jsonrpc":"2.0","id":1,"error":{"code":3}}"#,
            .error(ErrorObject(code: 3, message: "")), [.missingErrorMessage]),
        Row(
            "data null", #"{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"m","data":null}}"#,
            .error(ErrorObject(code: 3, message: "m", data: .null))),
        Row("extra members", #"{"jsonrpc":"2.0","id":1,"result":5,"session":"x"}"#, .result(5)),
        Row("result twice", #"{"jsonrpc":"2.0","id":1,"result":4,"result":5}"#, .result(5), [.duplicateMembers]),
        Row(
            "result with method", #"{"jsonrpc":"2.0","id":1,"method":"m","result":5}"#, .result(5), [.methodInResponse]),
        // Other messages
        Row("JSON that is no message", #"{"hello":1}"#, .pending, [.notAMessage]),
        Row("a number", "5", .pending, [.notAMessage]),
        Row("empty array", "[]", .pending, [.emptyBatch]),
        Row("array of numbers", "[1]", .pending, [.notAMessage]),
        Row("answer in an array", #"[{"jsonrpc":"2.0","id":1,"result":5}]"#, .result(5)),
        Row("request with the id of our call", #"{"jsonrpc":"2.0","id":1,"method":"nothing"}"#, .pending),
        Row(
            "request with a method that is no string", #"{"jsonrpc":"2.0","id":1,"method":5}"#, .pending,
            [.invalidMethod]),
        Row(
            "request with params that are none", #"{"jsonrpc":"2.0","id":1,"method":"m","params":5}"#, .pending,
            [.unstructuredParams]),
    ]

    private static func nested(_ depth: Int) -> JSONValue {
        (0..<depth).dropFirst().reduce([]) { value, _ in [value] }
    }

    @Test(arguments: Engine.allCases, rows)
    func badMessageHarmsNoOtherCall(engine: Engine, row: Row) async throws {
        try await run(engine, row) { try $0.peer.send(row.text) }
    }

    @Test(arguments: Engine.allCases)
    func binaryMessageIsReadAsText(engine: Engine) async throws {
        let row = Row("binary", #"{"jsonrpc":"2.0","id":1,"result":5}"#, .result(5), [.binaryMessage])
        try await run(engine, row) { try $0.peer.send(Array(row.text.utf8), isBinary: true) }
    }

    @Test(arguments: Engine.allCases)
    func secondAnswerIsReported(engine: Engine) async throws {
        let answer = #"{"jsonrpc":"2.0","id":1,"result":5}"#
        try await run(engine, Row("twice", answer, .result(5), [.duplicateResponse])) {
            try $0.peer.send(answer)
            try $0.peer.send(answer)
        }
    }

    private func run(_ engine: Engine, _ row: Row, send: (Pair) throws -> Void) async throws {
        try await Pair.with(engine, matching: .anyOrder) { pair in
            let events = pair.client.events
            async let first = outcome { try await pair.client.call("first", as: JSONValue.self) }
            let request = try await pair.peer.expectRequest("first")
            async let second: Int = pair.client.call("second")
            let other = try await pair.peer.expectRequest("second")
            try send(pair)
            if row.outcome == .pending { try pair.peer.reply(to: request, result: "proper") }
            try pair.peer.reply(to: other, result: 2)
            try pair.peer.notify("end")
            #expect(try await second == 2)
            #expect(try await first == (row.outcome == .pending ? .result("proper") : row.outcome))
            #expect(await events.irregularitiesByMessage() == (row.reported.isEmpty ? [] : [row.reported]))
            #expect(pair.session.state == .open)
        }
    }

    private func outcome(_ body: () async throws -> JSONValue) async throws -> Row.Outcome {
        do {
            return .result(try await body())
        } catch let error as ErrorObject {
            return .error(error)
        } catch let error as ClientError {
            guard error.code == .protocolViolation, error.delivery == .answered, let irregularity = error.irregularity
            else { throw error }
            return .violation(irregularity)
        }
    }

    // MARK: What ends the connection

    @Test func invalidUTF8EndsAStrictSessionWith1007() async throws {
        var configuration = SessionConfiguration()
        configuration.strictness = .strict
        try await Pair.with(.inMemory, configuration: configuration) { pair in
            async let error = clientError { try await pair.client.call("m", as: Int.self) }
            try await pair.peer.expectRequest("m")
            let bytes = Array(#"{"jsonrpc":"2.0","method":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
            try pair.peer.send(bytes, isBinary: false)
            let closure = try await pair.peer.expectClosure()
            #expect(closure.code == 1007)
            let loss = try await error
            #expect(loss?.code == .connectionLost && loss?.delivery == .outcomeUnknown)
            #expect((loss?.cause as? ClientError)?.irregularity == .invalidUTF8)
        }
    }

    @Test(arguments: Engine.allCases)
    func strictSessionClosesOnWhatIsNoJSON(engine: Engine) async throws {
        var configuration = SessionConfiguration()
        configuration.strictness = .strict
        try await Pair.with(engine, configuration: configuration) { pair in
            async let error = clientError { try await pair.client.call("m", as: Int.self) }
            try await pair.peer.expectRequest("m")
            try pair.peer.send("hello")
            #expect(try await pair.peer.expectClosure().code == 1002)
            let loss = try await error
            #expect(loss?.code == .connectionLost)
        }
    }

    @Test(arguments: Engine.allCases)
    func lenientSessionTakesTheIDInAnotherType(engine: Engine) async throws {
        var configuration = SessionConfiguration()
        configuration.strictness[.stringForNumberID] = .ignore
        try await Pair.with(engine, configuration: configuration) { pair in
            async let result: Int = pair.client.call("m")
            try await pair.peer.play(
                """
                --> {"jsonrpc":"2.0","id":1,"method":"m"}
                <-- {"jsonrpc":"2.0","id":"1","result":5}
                """)
            #expect(try await result == 5)
        }
    }
}
