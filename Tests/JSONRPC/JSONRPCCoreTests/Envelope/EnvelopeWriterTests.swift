// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

extension EnvelopeWriter {
    fileprivate func requestTail(
        method: String, params: RawJSON?, extra: ExtraMembers = ExtraMembers()
    ) -> [UInt8] {
        var tail: [UInt8] = []
        appendRequestTail(method: method, params: params, extra: extra, to: &tail)
        return tail
    }
}

@Suite(.inTurn) struct EnvelopeWriterTests {
    private let writer = EnvelopeWriter(version: .sent)
    private let bare = EnvelopeWriter(version: .omitted)

    private func text(_ write: (inout [UInt8]) throws -> Void) rethrows -> String {
        var bytes: [UInt8] = []
        try write(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func appendResponse(
        _ writer: EnvelopeWriter, id: RawJSON, result: String, to bytes: inout [UInt8]
    ) {
        writer.beginResponse(id: id, &bytes)
        bytes.append(contentsOf: result.utf8)
        writer.endResponse(&bytes)
    }

    @Test func requestHasTheMembersOfTheSpecification() throws {
        let tail = writer.requestTail(method: "subtract", params: try RawJSON(validating: "[42,23]"))
        #expect(
            text { writer.appendRequest(id: 1, tail: tail, to: &$0) }
                == #"{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}"#)
        let short = writer.requestTail(method: "m", params: nil)
        #expect(
            text { writer.appendRequest(id: "a\"", tail: short, to: &$0) }
                == #"{"jsonrpc":"2.0","id":"a\"","method":"m"}"#)
    }

    @Test func versionMemberCanBeLeftOut() {
        let tail = bare.requestTail(method: "m", params: nil)
        #expect(text { bare.appendRequest(id: 1, tail: tail, to: &$0) } == #"{"id":1,"method":"m"}"#)
        #expect(text { bare.appendNotification(method: "m", params: nil, to: &$0) } == #"{"method":"m"}"#)
        #expect(text { appendResponse(bare, id: .null, result: "null", to: &$0) } == #"{"id":null,"result":null}"#)
    }

    @Test func notificationHasNoID() throws {
        let params = try RawJSON(validating: #"{"a":1}"#)
        #expect(
            text { writer.appendNotification(method: "m", params: params, to: &$0) }
                == #"{"jsonrpc":"2.0","method":"m","params":{"a":1}}"#)
    }

    @Test func methodNameIsEscapedOnce() {
        #expect(
            text {
                bare.appendNotification(
                    method: "a\"\\/\u{8}\u{9}\u{A}\u{C}\u{D}\u{1F}\u{7F}é\u{1F600}", params: nil, to: &$0)
            }
                == "{\"method\":\"a\\\"\\\\/\\b\\t\\n\\f\\r\\u001f\u{7F}é\u{1F600}\"}")
    }

    @Test func extraMembersComeLast() throws {
        var extra = ExtraMembers()
        try extra.set("sessionId", to: RawJSON(encoding: "s"))
        let tail = writer.requestTail(method: "m", params: nil, extra: extra)
        #expect(
            text { writer.appendRequest(id: 1, tail: tail, to: &$0) }
                == #"{"jsonrpc":"2.0","id":1,"method":"m","sessionId":"s"}"#)
    }

    @Test(arguments: ["1", "-0", "1.50", "1e3", "18446744073709551616", #""\u0041""#, "null"])
    func peersIDIsEchoedByteForByte(id: String) throws {
        let raw = try RawJSON(validating: id)
        #expect(
            text { appendResponse(writer, id: raw, result: "{}", to: &$0) }
                == #"{"jsonrpc":"2.0","id":"# + id + #","result":{}}"#)
        #expect(
            text { writer.appendErrorResponse(id: .json(raw), error: ErrorObject(.methodNotFound), to: &$0) }
                == #"{"jsonrpc":"2.0","id":"# + id + #","error":{"code":-32601,"message":"Method not found"}}"#)
    }

    @Test(arguments: [0, -1, Int64.min, .max])
    func numbersOfThePeerAreEchoed(id: Int64) {
        #expect(
            text { writer.appendErrorResponse(id: .number(id), error: ErrorObject(.methodNotFound), to: &$0) }
                == #"{"jsonrpc":"2.0","id":"# + "\(id)" + #","error":{"code":-32601,"message":"Method not found"}}"#)
    }

    @Test func errorDataIsWrittenAsItIs() throws {
        let error = ErrorObject(code: -1, message: "\n", data: try RawJSON(validating: "[1, 2]"))
        #expect(
            text { writer.appendErrorResponse(id: nil, error: error, to: &$0) }
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"\n","data":[1, 2]}}"#)
    }

    @Test(arguments: [
        (RequestID.number(0), "0"), (7, "7"), (-1, "-1"), (.number(.max), "9223372036854775807"),
        (.number(.min), "-9223372036854775808"), ("", #""""#), ("x\"y", #""x\"y""#),
    ])
    func idOfARequestIsWrittenExactly(id: RequestID, written: String) {
        let tail = bare.requestTail(method: "m", params: nil)
        #expect(text { bare.appendRequest(id: id, tail: tail, to: &$0) } == #"{"id":"# + written + #","method":"m"}"#)
    }

    /// Everything that is written is read back unchanged.
    @Test func writtenEnvelopesAreScannedAsWritten() throws {
        let params = try RawJSON(validating: #"{"id":9,"method":"no"}"#)
        var extra = ExtraMembers()
        try extra.set("auth", to: RawJSON(encoding: "t"))
        var bytes: [UInt8] = []
        writer.appendRequest(id: -3, tail: writer.requestTail(method: "a\\b", params: params, extra: extra), to: &bytes)
        let envelope = try scan(bytes)
        #expect(envelope.id == .number(-3))
        #expect(envelope.versionForm == .two)
        #expect(envelope.params.map { Array(bytes[$0]) } == Array(params.bytes))
        #expect(envelope.hasExtraMembers && !envelope.hasDuplicateMembers)
        let reading = bytes.withUnsafeBytes { MessageReader.standard.call(envelope, in: $0) }
        #expect(reading.method == "a\\b")
    }
}
