// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
package import JSONRPCSession
import Testing

/// The outcome of a call when the peer sends bad input.
package enum BadInputFate: Sendable, CustomStringConvertible {
    /// The bad message still answers the call.
    case result(String)
    /// The peer's error, with this code.
    case error(Int)
    /// The call fails on this side.
    case violation(Irregularity)
    /// The call is not affected, and is answered later.
    case waits

    package var description: String {
        switch self {
        case .result(let text): "result \(text)"
        case .error(let code): "error \(code)"
        case .violation(let irregularity): "violation: \(irregularity)"
        case .waits: "goes on"
        }
    }
}

/// One kind of bad input.
package struct BadInputRow: Sendable, CustomTestStringConvertible {
    package enum Message: Sendable {
        case text(String)
        case binary(String)
        case fragments(String)
    }

    package var name: String
    package var messages: [Message]
    /// The outcome of the call with the id 1.
    package var fate: BadInputFate
    /// The irregularities in the events.
    package var reported: [Irregularity] = []
    /// The replies of this side.
    package var replies: [String] = []

    init(
        _ name: String, _ text: String..., fate: BadInputFate, reported: [Irregularity] = [], replies: [String] = []
    ) {
        self.init(name, text.map { .text($0) }, fate: fate, reported: reported, replies: replies)
    }

    init(
        _ name: String, _ messages: [Message], fate: BadInputFate, reported: [Irregularity] = [], replies: [String] = []
    ) {
        self.name = name
        self.messages = messages
        self.fate = fate
        self.reported = reported
        self.replies = replies
    }

    package var testDescription: String { name }

    package static let all: [BadInputRow] =
        [
            BadInputRow(
                "malformed, id read", #"{"jsonrpc":"2.0","id":1,"result":}"#,
                fate: .violation(.malformedJSON), reported: [.malformedJSON]),
            BadInputRow(
                "malformed, no id read", #"{"jsonrpc":"2.0","result":],"id":1}"#,
                fate: .waits, reported: [.malformedJSON]),
            BadInputRow(
                "malformed, id of another kind of message", #"{"jsonrpc":"2.0","id":1,"method":"m","params":}"#,
                fate: .waits, reported: [.malformedJSON]),
            BadInputRow(
                "malformed, id inside the result", #"{"jsonrpc":"2.0","result":{"id":1},}"#,
                fate: .waits, reported: [.malformedJSON]),
            BadInputRow(
                "malformed, two ids", #"{"jsonrpc":"2.0","id":1,"id":2,"result":}"#,
                fate: .waits, reported: [.malformedJSON]),
            BadInputRow(
                "malformed array of two responses",
                #"[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":]"#,
                fate: .waits, reported: [.malformedJSON]),
            BadInputRow(
                "truncated, id read", #"{"jsonrpc":"2.0","id":1,"result":{"a"#,
                fate: .violation(.malformedJSON), reported: [.malformedJSON]),
            BadInputRow(
                "truncated within the id", #"{"jsonrpc":"2.0","id":1"#, fate: .waits, reported: [.malformedJSON]),
            BadInputRow(
                "trailing bytes", #"{"jsonrpc":"2.0","id":1,"result":1}x"#,
                fate: .violation(.malformedJSON), reported: [.malformedJSON]),
            BadInputRow(
                "100 000 deep", #"{"jsonrpc":"2.0","id":1,"result":"# + String(repeating: "[", count: 100_000),
                fate: .violation(.malformedJSON), reported: [.malformedJSON]),
            BadInputRow(
                "65 deep",
                #"{"jsonrpc":"2.0","id":1,"result":"# + String(repeating: "[", count: 64)
                    + String(repeating: "]", count: 64) + "}",
                fate: .result(String(repeating: "[", count: 64) + String(repeating: "]", count: 64))),
            BadInputRow("empty text", "", fate: .waits, reported: [.emptyMessage]),
            BadInputRow("white space", " \n", fate: .waits, reported: [.emptyMessage]),
            BadInputRow("JSON and a newline", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n", fate: .result("7")),
            BadInputRow("no JSON-RPC: an object", #"{"hello":"world"}"#, fate: .waits, reported: [.notAMessage]),
            BadInputRow("no JSON-RPC: a number", "42", fate: .waits, reported: [.notAMessage]),
            BadInputRow("empty array", "[]", fate: .waits, reported: [.emptyBatch]),
            BadInputRow("array of no messages", "[1,2]", fate: .waits, reported: [.notAMessage, .notAMessage]),
            BadInputRow(
                "reply in a binary frame", [.binary(#"{"jsonrpc":"2.0","id":1,"result":7}"#)],
                fate: .result("7"), reported: [.binaryMessage]),
            BadInputRow(
                "reply in fragments", [.fragments(#"{"jsonrpc":"2.0","id":1,"result":7}"#)], fate: .result("7")),
        ] + ids + envelopes + requests

    private static let ids: [BadInputRow] = [
        BadInputRow("wrong id", #"{"jsonrpc":"2.0","id":99,"result":7}"#, fate: .waits, reported: [.unknownResponse]),
        BadInputRow(
            "id truncated by the server", #"{"jsonrpc":"2.0","id":-2147483648,"result":7}"#,
            fate: .waits, reported: [.unknownResponse]),
        BadInputRow(
            "duplicate response", #"{"jsonrpc":"2.0","id":1,"result":7}"#, #"{"jsonrpc":"2.0","id":1,"result":8}"#,
            fate: .result("7"), reported: [.duplicateResponse]),
        BadInputRow(
            "null id and a result", #"{"jsonrpc":"2.0","id":null,"result":7}"#,
            fate: .waits, reported: [.nullResponseID]),
        BadInputRow(
            "null id and an error", #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}"#,
            fate: .waits, reported: [.nullResponseID]),
        BadInputRow(
            "error with no id", #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}"#,
            fate: .waits, reported: [.missingResponseID]),
        BadInputRow("fractional id", #"{"jsonrpc":"2.0","id":1.0,"result":7}"#, fate: .waits, reported: [.invalidID]),
        BadInputRow("boolean id", #"{"jsonrpc":"2.0","id":true,"result":7}"#, fate: .waits, reported: [.invalidID]),
        BadInputRow(
            "id out of range", #"{"jsonrpc":"2.0","id":18446744073709551617,"result":7}"#,
            fate: .waits, reported: [.invalidID]),
        BadInputRow(
            "string for a number id", #"{"jsonrpc":"2.0","id":"1","result":7}"#,
            fate: .violation(.stringForNumberID), reported: [.stringForNumberID]),
    ]

    private static let envelopes: [BadInputRow] = [
        BadInputRow("missing jsonrpc", #"{"id":1,"result":7}"#, fate: .result("7"), reported: [.missingVersion]),
        BadInputRow(
            "wrong version", #"{"jsonrpc":"1.0","id":1,"result":7}"#,
            fate: .result("7"), reported: [.wrongVersion]),
        BadInputRow(
            "version as a number", #"{"jsonrpc":2.0,"id":1,"result":7}"#,
            fate: .result("7"), reported: [.wrongVersion]),
        BadInputRow(
            "both result and error", #"{"jsonrpc":"2.0","id":1,"result":7,"error":{"code":1,"message":"m"}}"#,
            fate: .violation(.bothResultAndError), reported: [.bothResultAndError]),
        BadInputRow(
            "result and a null error", #"{"jsonrpc":"2.0","id":1,"result":7,"error":null}"#,
            fate: .result("7"), reported: [.nullResultOrError]),
        BadInputRow(
            "neither result nor error", #"{"jsonrpc":"2.0","id":1}"#,
            fate: .violation(.neitherResultNorError), reported: [.neitherResultNorError]),
        BadInputRow(
            "error without code", #"{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}"#,
            fate: .violation(.missingErrorCode), reported: [.missingErrorCode]),
        BadInputRow(
            "code as a string", #"{"jsonrpc":"2.0","id":1,"error":{"code":"-5","message":"m"}}"#,
            fate: .error(-5), reported: [.errorCodeAsString]),
        BadInputRow(
            "error that is no object", #"{"jsonrpc":"2.0","id":1,"error":"broken"}"#,
            fate: .violation(.malformedError), reported: [.malformedError]),
        BadInputRow(
            "error with null data", #"{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"m","data":null}}"#,
            fate: .error(3)),
        BadInputRow("extra members", #"{"jsonrpc":"2.0","id":1,"result":7,"meta":{"id":2}}"#, fate: .result("7")),
        BadInputRow(
            "result twice", #"{"jsonrpc":"2.0","id":1,"result":6,"result":7}"#,
            fate: .result("7"), reported: [.duplicateMembers]),
    ]

    private static let requests: [BadInputRow] = [
        BadInputRow(
            "request with an id of ours", #"{"jsonrpc":"2.0","id":1,"method":"peer"}"#,
            fate: .waits, replies: [#"{"jsonrpc":"2.0","id":1,"result":"served"}"#]),
        BadInputRow(
            "request of an unknown method", #"{"jsonrpc":"2.0","id":"x","method":"none"}"#, fate: .waits,
            replies: [#"{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"Method not found"}}"#]),
        BadInputRow(
            "request whose method is a number", #"{"jsonrpc":"2.0","id":5,"method":1}"#,
            fate: .waits, reported: [.invalidMethod],
            replies: [#"{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"Invalid Request"}}"#]),
        BadInputRow(
            "request whose params are a string", #"{"jsonrpc":"2.0","id":5,"method":"peer","params":"x"}"#,
            fate: .waits, reported: [.unstructuredParams],
            replies: [#"{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"Invalid Request"}}"#]),
        BadInputRow(
            "request with the id null", #"{"jsonrpc":"2.0","id":null,"method":"peer"}"#,
            fate: .waits, reported: [.nullRequestID],
            replies: [#"{"jsonrpc":"2.0","id":null,"result":"served"}"#]),
        BadInputRow(
            "array of notifications and requests",
            #"[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":1,"method":"peer"},"#
                + #"{"jsonrpc":"2.0","id":2,"method":"none"}]"#,
            fate: .waits,
            replies: [
                #"[{"jsonrpc":"2.0","id":1,"result":"served"},"#
                    + #"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}]"#
            ]),
        BadInputRow(
            "array of a response and a request",
            #"[{"jsonrpc":"2.0","id":1,"result":7},{"jsonrpc":"2.0","id":1,"method":"peer"}]"#,
            fate: .result("7"), replies: [#"[{"jsonrpc":"2.0","id":1,"result":"served"}]"#]),
    ]
}

/// The ways in which a call can be made.
package enum CallWay: CaseIterable, Sendable {
    /// Each call in a task of its own.
    case single
    /// All calls by `results(of:)`, with one consumer.
    case many
}

/// The calls `first` and `second`.
package struct TwoCalls: Sendable {
    private let session: DuplexSession
    private let many: ManyCalls<RawJSON>?

    package init(_ way: CallWay, over session: DuplexSession) {
        self.session = session
        switch way {
        case .single: many = nil
        case .many:
            many = ManyCalls(["first", "second"].map { MethodCall($0, as: RawJSON.self) }, over: session)
        }
    }

    package func outcome(_ index: Int) async -> Result<RawJSON, any Error> {
        guard let many else {
            do {
                return .success(try await session.callRaw(index == 0 ? "first" : "second"))
            } catch {
                return .failure(error)
            }
        }
        let outcome = await many.outcome(index)
        return outcome?.mapError { $0.underlying } ?? .failure(CancellationError())
    }
}
