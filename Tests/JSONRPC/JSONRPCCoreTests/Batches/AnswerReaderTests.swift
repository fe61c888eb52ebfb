// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct AnswerReaderTests {
    @Test func messagesAreWrittenWithAndWithoutAVersion() throws {
        let call = RequestObject(id: 1, method: "m", params: RawJSON([1, "x"]), extraMembers: ["auth": "y"])
        let note = RequestObject(id: nil, method: "n")
        #expect(
            String(decoding: call.bytes(), as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":1,"method":"m","params":[1,"x"],"auth":"y"}"#)
        #expect(String(decoding: note.bytes(version: .omitted), as: UTF8.self) == #"{"method":"n"}"#)
        #expect(
            String(decoding: RequestMessage.batch([note, note]).bytes(), as: UTF8.self)
                == #"[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","method":"n"}]"#)
        #expect(RequestMessage.single(note).bytes(version: .omitted) == note.bytes(version: .omitted))
    }

    /// A slice of the answer would keep all of it.
    @Test(arguments: [("{", "}"), ("[{", "}]")])
    func aSmallResultDoesNotKeepALargeAnswer(begin: String, end: String) throws {
        let members = #""jsonrpc":"2.0","id":1,"result":[1],"#
        let small = begin + members + #""x":1"# + end
        let large = begin + members + #""x":""# + String(repeating: "x", count: 1 << 20) + #"""# + end
        for (text, isCopied) in [(small, false), (large, true)] {
            let result = try #require(try AnswerReader().responses(in: Array(text.utf8)).first?.result)
            #expect(result.text == "[1]")
            // A copy begins at the beginning of its own bytes.
            #expect((result.bytes.startIndex == 0) == isCopied)
        }
    }

    @Test func oneResponseIsRead() throws {
        let success = try ResponseObject(parsing: Array(#" {"jsonrpc":"2.0","id":"a","result":[1]}"#.utf8))
        #expect(success.id == "a")
        #expect(success.result?.text == "[1]")
        #expect(success.error == nil)
        let failure = try ResponseObject(
            parsing: Array(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#.utf8))
        #expect(failure.id == nil)
        #expect(failure.result == nil)
        #expect(failure.error == ErrorObject(.parseError))
    }

    @Test func aResponseThatCannotBeUsedSaysWhy() throws {
        let response = try ResponseObject(parsing: Array(#"{"jsonrpc":"2.0","id":7}"#.utf8))
        #expect(response.id == 7)
        #expect(response.result == nil)
        #expect(response.error == nil)
        guard case .failure(.failed(let error)) = response.outcome else {
            Issue.record("\(response)")
            return
        }
        #expect(error.irregularity == .neitherResultNorError)
        let old = #"{"jsonrpc":"1.0","id":7,"result":1}"#
        #expect(try ResponseObject(parsing: Array(old.utf8)).result?.text == "1")
        let refused = try ResponseObject(parsing: Array(old.utf8), strictness: .strict)
        #expect(refused.result == nil)
    }

    @Test(arguments: ["", " ", "[]", #"[{"jsonrpc":"2.0","id":1,"result":1}]"#, "7", #"{"method":"m"}"#, "{", "\u{FF}"])
    func bytesThatAreNotOneResponseAreRefused(text: String) throws {
        let error = try #require(throws: ClientError.self) { try ResponseObject(parsing: Array(text.utf8)) }
        #expect(error.code == .protocolViolation)
        #expect(error.received == Array(text.utf8))
    }
}
