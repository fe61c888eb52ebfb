// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import TestTurns
import Testing
import WireJSON

/// What the caller of a call gets when the peer sends bad input.
private enum Fate: Sendable, CustomStringConvertible {
    /// The call is answered by the bad message all the same.
    case result(String)
    /// The peer's error, with this code.
    case error(Int)
    /// The call fails on this side.
    case violation(Irregularity)
    /// The call is not concerned, and answered later.
    case waits

    var description: String {
        switch self {
        case .result(let text): "result \(text)"
        case .error(let code): "error \(code)"
        case .violation(let irregularity): "violation: \(irregularity)"
        case .waits: "goes on"
        }
    }
}

/// One kind of bad input.
private struct Row: Sendable, CustomTestStringConvertible {
    enum Message: Sendable {
        case text(String)
        case binary(String)
        case fragments(String)
    }

    var name: String
    var messages: [Message]
    /// Of the call with the id 1.
    var fate: Fate
    /// What the events tell of.
    var reported: [Irregularity] = []
    /// What this side says to it.
    var replies: [String] = []

    init(
        _ name: String, _ text: String..., fate: Fate, reported: [Irregularity] = [], replies: [String] = []
    ) {
        self.init(name, text.map { .text($0) }, fate: fate, reported: reported, replies: replies)
    }

    init(_ name: String, _ messages: [Message], fate: Fate, reported: [Irregularity] = [], replies: [String] = []) {
        self.name = name
        self.messages = messages
        self.fate = fate
        self.reported = reported
        self.replies = replies
    }

    var testDescription: String { name }

    static let all: [Row] =
        [
            Row(
                "malformed, id read", #"{"jsonrpc":"2.0","id":1,"result":}"#,
                fate: .violation(.malformedJSON), reported: [.malformedJSON]),
            Row(
                "malformed, no id read", #"{"jsonrpc":"2.0","result":],"id":1}"#,
                fate: .waits, reported: [.malformedJSON]),
            Row(
                "malformed, id of another kind of message", #"{"jsonrpc":"2.0","id":1,"method":"m","params":}"#,
                fate: .waits, reported: [.malformedJSON]),
            Row(
                "malformed, id inside the result", #"{"jsonrpc":"2.0","result":{"id":1},}"#,
                fate: .waits, reported: [.malformedJSON]),
            Row(
                "malformed, two ids", #"{"jsonrpc":"2.0","id":1,"id":2,"result":}"#,
                fate: .waits, reported: [.malformedJSON]),
            Row(
                "malformed array of two responses",
                #"[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":]"#,
                fate: .waits, reported: [.malformedJSON]),
            Row(
                "truncated, id read", #"{"jsonrpc":"2.0","id":1,"result":{"a"#,
                fate: .violation(.malformedJSON), reported: [.malformedJSON]),
            Row("truncated within the id", #"{"jsonrpc":"2.0","id":1"#, fate: .waits, reported: [.malformedJSON]),
            Row(
                "trailing bytes", #"{"jsonrpc":"2.0","id":1,"result":1}x"#,
                fate: .violation(.malformedJSON), reported: [.malformedJSON]),
            Row(
                "100 000 deep", #"{"jsonrpc":"2.0","id":1,"result":"# + String(repeating: "[", count: 100_000),
                fate: .violation(.malformedJSON), reported: [.malformedJSON]),
            Row(
                "65 deep",
                #"{"jsonrpc":"2.0","id":1,"result":"# + String(repeating: "[", count: 64)
                    + String(repeating: "]", count: 64) + "}",
                fate: .result(String(repeating: "[", count: 64) + String(repeating: "]", count: 64))),
            Row("empty text", "", fate: .waits, reported: [.emptyMessage]),
            Row("white space", " \n", fate: .waits, reported: [.emptyMessage]),
            Row("JSON and a newline", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n", fate: .result("7")),
            Row("no JSON-RPC: an object", #"{"hello":"world"}"#, fate: .waits, reported: [.notAMessage]),
            Row("no JSON-RPC: a number", "42", fate: .waits, reported: [.notAMessage]),
            Row("empty array", "[]", fate: .waits, reported: [.emptyBatch]),
            Row("array of no messages", "[1,2]", fate: .waits, reported: [.notAMessage, .notAMessage]),
            Row(
                "reply in a binary frame", [.binary(#"{"jsonrpc":"2.0","id":1,"result":7}"#)],
                fate: .result("7"), reported: [.binaryMessage]),
            Row("reply in fragments", [.fragments(#"{"jsonrpc":"2.0","id":1,"result":7}"#)], fate: .result("7")),
        ] + ids + envelopes + requests

    private static let ids: [Row] = [
        Row("wrong id", #"{"jsonrpc":"2.0","id":99,"result":7}"#, fate: .waits, reported: [.unknownResponse]),
        Row(
            "id truncated by the server", #"{"jsonrpc":"2.0","id":-2147483648,"result":7}"#,
            fate: .waits, reported: [.unknownResponse]),
        Row(
            "duplicate response", #"{"jsonrpc":"2.0","id":1,"result":7}"#, #"{"jsonrpc":"2.0","id":1,"result":8}"#,
            fate: .result("7"), reported: [.duplicateResponse]),
        Row(
            "null id and a result", #"{"jsonrpc":"2.0","id":null,"result":7}"#,
            fate: .waits, reported: [.nullResponseID]),
        Row(
            "null id and an error", #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}"#,
            fate: .waits, reported: [.nullResponseID]),
        Row(
            "error with no id", #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}"#,
            fate: .waits, reported: [.missingResponseID]),
        Row("fractional id", #"{"jsonrpc":"2.0","id":1.0,"result":7}"#, fate: .waits, reported: [.invalidID]),
        Row("boolean id", #"{"jsonrpc":"2.0","id":true,"result":7}"#, fate: .waits, reported: [.invalidID]),
        Row(
            "id out of range", #"{"jsonrpc":"2.0","id":18446744073709551617,"result":7}"#,
            fate: .waits, reported: [.invalidID]),
        Row(
            "string for a number id", #"{"jsonrpc":"2.0","id":"1","result":7}"#,
            fate: .violation(.stringForNumberID), reported: [.stringForNumberID]),
    ]

    private static let envelopes: [Row] = [
        Row("missing jsonrpc", #"{"id":1,"result":7}"#, fate: .result("7"), reported: [.missingVersion]),
        Row(
            "wrong version", #"{"jsonrpc":"1.0","id":1,"result":7}"#,
            fate: .result("7"), reported: [.wrongVersion]),
        Row(
            "version as a number", #"{"jsonrpc":2.0,"id":1,"result":7}"#,
            fate: .result("7"), reported: [.wrongVersion]),
        Row(
            "both result and error", #"{"jsonrpc":"2.0","id":1,"result":7,"error":{"code":1,"message":"m"}}"#,
            fate: .violation(.bothResultAndError), reported: [.bothResultAndError]),
        Row(
            "result and a null error", #"{"jsonrpc":"2.0","id":1,"result":7,"error":null}"#,
            fate: .result("7"), reported: [.nullResultOrError]),
        Row(
            "neither result nor error", #"{"jsonrpc":"2.0","id":1}"#,
            fate: .violation(.neitherResultNorError), reported: [.neitherResultNorError]),
        Row(
            "error without code", #"{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}"#,
            fate: .violation(.missingErrorCode), reported: [.missingErrorCode]),
        Row(
            "code as a string", #"{"jsonrpc":"2.0","id":1,"error":{"code":"-5","message":"m"}}"#,
            fate: .error(-5), reported: [.errorCodeAsString]),
        Row(
            "error that is no object", #"{"jsonrpc":"2.0","id":1,"error":"broken"}"#,
            fate: .violation(.malformedError), reported: [.malformedError]),
        Row(
            "error with null data", #"{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"m","data":null}}"#,
            fate: .error(3)),
        Row("extra members", #"{"jsonrpc":"2.0","id":1,"result":7,"meta":{"id":2}}"#, fate: .result("7")),
        Row(
            "result twice", #"{"jsonrpc":"2.0","id":1,"result":6,"result":7}"#,
            fate: .result("7"), reported: [.duplicateMembers]),
    ]

    private static let requests: [Row] = [
        Row(
            "request with an id of ours", #"{"jsonrpc":"2.0","id":1,"method":"peer"}"#,
            fate: .waits, replies: [#"{"jsonrpc":"2.0","id":1,"result":"served"}"#]),
        Row(
            "request of an unknown method", #"{"jsonrpc":"2.0","id":"x","method":"none"}"#, fate: .waits,
            replies: [#"{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"Method not found"}}"#]),
        Row(
            "request whose method is a number", #"{"jsonrpc":"2.0","id":5,"method":1}"#,
            fate: .waits, reported: [.invalidMethod],
            replies: [#"{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"Invalid Request"}}"#]),
        Row(
            "request whose params are a string", #"{"jsonrpc":"2.0","id":5,"method":"peer","params":"x"}"#,
            fate: .waits, reported: [.unstructuredParams],
            replies: [#"{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"Invalid Request"}}"#]),
        Row(
            "request with the id null", #"{"jsonrpc":"2.0","id":null,"method":"peer"}"#,
            fate: .waits, reported: [.nullRequestID],
            replies: [#"{"jsonrpc":"2.0","id":null,"result":"served"}"#]),
        Row(
            "array of notifications and requests",
            #"[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":1,"method":"peer"},"#
                + #"{"jsonrpc":"2.0","id":2,"method":"none"}]"#,
            fate: .waits,
            replies: [
                #"[{"jsonrpc":"2.0","id":1,"result":"served"},"#
                    + #"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}]"#
            ]),
        Row(
            "array of a response and a request",
            #"[{"jsonrpc":"2.0","id":1,"result":7},{"jsonrpc":"2.0","id":1,"method":"peer"}]"#,
            fate: .result("7"), replies: [#"[{"jsonrpc":"2.0","id":1,"result":"served"}]"#]),
    ]
}

/// The ways in which a call can be made.
private enum CallWay: CaseIterable, Sendable {
    /// Each by a task.
    case single
    /// All by `results(of:)`, with one consumer.
    case many
}

/// The calls `first` and `second`.
private struct TwoCalls: Sendable {
    let session: DuplexSession
    let many: ManyCalls<RawJSON>?

    init(_ way: CallWay, over session: DuplexSession) {
        self.session = session
        switch way {
        case .single: many = nil
        case .many:
            many = ManyCalls(["first", "second"].map { MethodCall($0, as: RawJSON.self) }, over: session)
        }
    }

    func outcome(_ index: Int) async -> Result<RawJSON, any Error> {
        guard let many else {
            return await JSONRPCSessionTests.outcome { try await session.callRaw(index == 0 ? "first" : "second") }
        }
        let outcome = await many.outcome(index)
        return outcome?.mapError { $0.underlying } ?? .failure(CancellationError())
    }
}

@Suite(.inTurn(within: .seconds(60)))
struct BadInputTests {
    /// Two calls are in flight when the bad input comes. What becomes of the first is in the row; the second must be
    /// unharmed, and nothing may be left over.
    @Test(arguments: Row.all, CallWay.allCases)
    fileprivate func concernsOneCallAtTheMost(row: Row, way: CallWay) async throws {
        let peer = ScriptedPeer()
        let session = DuplexSession()
        let events = session.events
        session.handle("peer") { "served" }
        try await peer.connector.connect(receiver: session.receiver)
        let calls = TwoCalls(way, over: session)
        async let first = calls.outcome(0)
        let firstRequest = try await peer.expectRequest("first")
        async let second = calls.outcome(1)
        let secondRequest = try await peer.expectRequest("second")

        for message in row.messages {
            switch message {
            case .text(let text): try peer.send(text)
            case .binary(let text): try peer.send(Array(text.utf8), isBinary: true)
            case .fragments(let text): try peer.send(Array(text.utf8), isBinary: false, inFragments: true)
            }
        }
        for reply in row.replies {
            let message = try await peer.expectMessage()
            #expect(message.json == (try JSONValue(parsing: reply)))
        }
        try peer.reply(to: secondRequest, result: "unharmed")
        #expect(try await second.get().text == #""unharmed""#)

        if case .waits = row.fate {
            #expect(session.callsInFlight == 1)
            try peer.reply(to: firstRequest, result: "in the end")
            #expect(try await first.get().text == #""in the end""#)
        } else {
            check(await first, row.fate)
        }

        #expect(session.state == .open)
        await session.close()
        #expect(session.callCounts.issued == 2)
        #expect(session.callCounts.settled == 2)
        #expect(session.callsInFlight == 0)
        let told = await events.irregularMessages()
        #expect(told.flatMap(\.irregularities.elements) == row.reported)
        try await peer.expectClosure()
        try peer.expectNothingMore()
    }

    private func check(_ outcome: Result<RawJSON, any Error>, _ fate: Fate) {
        switch (outcome, fate) {
        case (.success(let result), .result(let text)): #expect(result.text == text)
        case (.failure(let error as ErrorObject), .error(let code)): #expect(error.code.rawValue == code)
        case (.failure(let error as ClientError), .violation(let irregularity)):
            #expect(error.code == .protocolViolation)
            #expect(error.irregularity == irregularity)
            #expect(error.delivery == .answered)
            #expect(error.requestID == 1)
            #expect(error.method == "first")
        default: Issue.record("expected \(fate), got \(outcome)")
        }
    }

    @Test func eventsCarryTheBytesAsTheyCame() async throws {
        let peer = ScriptedPeer()
        let session = DuplexSession()
        let events = session.events
        try await peer.connector.connect(receiver: session.receiver)
        try peer.send([0x7B, 0x20, 0x78], isBinary: true)
        await session.close()
        let told = try #require(await events.irregularMessages().first)
        #expect(told.bytes == [0x7B, 0x20, 0x78])
        #expect(told.isBinary)
        #expect(told.syntaxError?.offset == 2)
    }

    @Test func strictSessionClosesWithAProtocolError() async throws {
        let peer = ScriptedPeer()
        var configuration = SessionConfiguration()
        configuration.strictness = .strict
        let session = DuplexSession(configuration: configuration)
        try await peer.connector.connect(receiver: session.receiver)
        try peer.send(#"{"jsonrpc":"2.0","id":5,"result":1}"#)
        let closure = try await peer.expectClosure()
        #expect(closure.code == 1002)
        #expect(closure.reason == "Received a response whose id belongs to no known request.")
        await session.closed()
        #expect(session.closure?.initiator == .local)
    }

    @Test func serverAnswersWhatItCannotRead() async throws {
        let peer = ScriptedPeer()
        var configuration = SessionConfiguration()
        configuration.answersUnreadableMessages = true
        let session = DuplexSession(configuration: configuration)
        session.handle("peer") { "served" }
        try await peer.connector.connect(receiver: session.receiver)
        try await peer.play(
            #"""
            <-- {"jsonrpc":"2.0","method":"foobar,"params":"bar","baz]
            --> {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}
            <-- []
            --> {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}
            <-- {"foo":"boo"}
            --> {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}
            <-- [1,{"jsonrpc":"2.0","id":1,"method":"peer"}]
            --> [{"jsonrpc":"2.0","id":1,"result":"served"},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}]
            """#)
        await session.close()
    }

    @Test func stringForANumberIDCanBeTaken() async throws {
        let peer = ScriptedPeer()
        var configuration = SessionConfiguration()
        configuration.strictness[.stringForNumberID] = .ignore
        let session = DuplexSession(configuration: configuration)
        try await peer.connector.connect(receiver: session.receiver)
        async let answer: Int = session.call("m")
        try await peer.expectRequest("m")
        try peer.send(#"{"jsonrpc":"2.0","id":"1","result":7}"#)
        #expect(try await answer == 7)
        await session.close()
    }
}

/// What an operation returns or throws.
func outcome<Value: Sendable>(
    _ operation: @Sendable () async throws -> Value
) async -> Result<Value, any Error> {
    do { return .success(try await operation()) } catch { return .failure(error) }
}

extension Result {
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
