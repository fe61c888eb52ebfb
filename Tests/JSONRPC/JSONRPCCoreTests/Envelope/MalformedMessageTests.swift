// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite("EnvelopeScanner on malformed texts", .inTurn)
struct MalformedMessageTests {
    struct Case: CustomTestStringConvertible {
        var text: String
        var reason: JSONSyntaxError.Reason
        var ids: [MessageEnvelope.ID] = []
        var testDescription: String { text }
    }

    static let cases: [Case] = [
        Case(text: "", reason: .emptyText),
        Case(text: "\n", reason: .emptyText),
        Case(text: "{", reason: .unexpectedEnd),
        Case(text: "[", reason: .unexpectedEnd),
        Case(text: "x", reason: .expectedValue),
        // One complete id, before the fault.
        Case(text: #"{"id":1,"result":}"#, reason: .expectedValue, ids: [.number(1)]),
        Case(text: #"{"id":1,"result":tru"#, reason: .unexpectedEnd, ids: [.number(1)]),
        Case(text: #"{"id":1 "#, reason: .unexpectedEnd, ids: [.number(1)]),
        Case(text: #"{"id":1,}"#, reason: .expectedMemberName, ids: [.number(1)]),
        Case(text: #"{"id":"ab","x""#, reason: .unexpectedEnd, ids: [.string(7..<9, isEscaped: false)]),
        Case(text: #"{"id":"ab""#, reason: .unexpectedEnd, ids: [.string(7..<9, isEscaped: false)]),
        Case(text: #"{"id":null,"#, reason: .unexpectedEnd, ids: [.null]),
        Case(text: #"{"\u0069d":4,"#, reason: .unexpectedEnd, ids: [.number(4)]),
        Case(text: #"{"result":{"id":9},"id":1"#, reason: .unexpectedEnd),
        Case(text: #"{"id":1} x"#, reason: .trailingContent, ids: [.number(1)]),
        Case(text: #"{"id":1}{"id":2}"#, reason: .trailingContent, ids: [.number(1)]),
        // An id that may have been cut short.
        Case(text: #"{"id":12"#, reason: .unexpectedEnd),
        Case(text: #"{"id":"12"#, reason: .unexpectedEnd),
        Case(text: #"{"id":12x}"#, reason: .expectedCommaOrEnd),
        Case(text: #"{"id":12.}"#, reason: .invalidNumber),
        Case(text: #"{"id":nul"#, reason: .unexpectedEnd),
        Case(text: #"{"id":null"#, reason: .unexpectedEnd),
        Case(text: #"{"id":01}"#, reason: .invalidNumber),
        // An id that is not at the top level.
        Case(text: #"{"result":{"id":1},"x":}"#, reason: .expectedValue),
        Case(text: #"{"params":[{"id":1}],"#, reason: .unexpectedEnd),
        Case(text: #"{"error":{"id":1,"#, reason: .unexpectedEnd),
        Case(text: #"{"result":"{\"id\":1,","#, reason: .unexpectedEnd),
        // Two ids, or the beginning of a second one.
        Case(text: #"{"id":1,"id":2,"#, reason: .unexpectedEnd),
        Case(text: #"{"id":1,"id":1,"#, reason: .unexpectedEnd),
        Case(text: #"{"id":1,"id":"#, reason: .unexpectedEnd),
        Case(text: #"{"id":1,"\u0069d":2,"#, reason: .unexpectedEnd),
        // Arrays: the ids of their members.
        Case(
            text: #"[{"id":1,"result":0},{"id":2,"result":0},{"id":3,"result":"#, reason: .unexpectedEnd,
            ids: [.number(1), .number(2), .number(3)]),
        Case(text: #"[{"id":1},{"id":2"#, reason: .unexpectedEnd, ids: [.number(1)]),
        Case(text: #"[{"id":1,"id":5},{"id":2},]"#, reason: .expectedValue, ids: [.number(2)]),
        Case(text: #"[{"id":1}] 1"#, reason: .trailingContent, ids: [.number(1)]),
        Case(text: #"[[{"id":1}],{"result":{"id":2}},{"id":3}"#, reason: .unexpectedEnd, ids: [.number(3)]),
        Case(text: #"[{"id":1} {"id":2}]"#, reason: .expectedCommaOrEnd, ids: [.number(1)]),
    ]

    @Test(arguments: cases)
    func onlyLegitimateIDsAreRecovered(_ row: Case) {
        let failure = #expect(throws: MessageScanFailure.self) {
            try EnvelopeScannerTests.scan(Array(row.text.utf8))
        }
        #expect(failure?.error.reason == row.reason)
        #expect(failure?.ids == row.ids)
        #expect(failure?.isInvalidUTF8 == false)
    }

    @Test func invalidUTF8IsToldWhereverItIs() {
        let inString: [UInt8] = Array(#"{"id":1,"result":""#.utf8) + [0xFF] + Array("\"}".utf8)
        let failure = #expect(throws: MessageScanFailure.self) { try EnvelopeScannerTests.scan(inString) }
        #expect(failure?.error.reason == .invalidUTF8)
        #expect(failure?.error.offset == 18)
        #expect(failure?.isInvalidUTF8 == true)
        #expect(failure?.ids == [.number(1)])
        // After another fault, and outside strings.
        for text in [Array("{]".utf8) + [0xFF], [0xFF], Array("{}".utf8) + [0xC3]] {
            let failure = #expect(throws: MessageScanFailure.self) { try EnvelopeScannerTests.scan(text) }
            #expect(failure?.isInvalidUTF8 == true)
        }
    }

    static let whole: [String] = [
        #"{"jsonrpc":"2.0","id":123,"result":{"id":456,"text":"é\u00e9\ud83d\ude00","list":[1.5e3,true,null]}}"#,
        #"{"jsonrpc":"2.0","method":"m","params":{"id":9},"id":"a\"b","sessionId":"日本"}"#,
        #"{"error":{"code":-32000,"message":"no","data":[{"id":1}]},"id":-42,"jsonrpc":"2.0"}"#,
        #"[{"jsonrpc":"2.0","id":11,"result":7},{"id":"x","error":{"id":3}},17,{"method":"n"},{"id":55,"result":null}]"#,
    ]

    /// A cut at any place gives an error, and no ids except those of the responses in the whole message.
    @Test(arguments: whole)
    func truncationAtEveryByteFailsAndRecoversNoFalseID(text: String) throws {
        let bytes = Array(text.utf8)
        let (scan, members) = try EnvelopeScannerTests.scan(bytes)
        let legitimate: [MessageEnvelope.ID] =
            switch scan {
            case .single(let envelope): [envelope].filter { $0.method == .absent }.map(\.id)
            case .batch: members.filter { $0.method == .absent && $0.id != .absent }.map(\.id)
            }
        var recoveredSometime = 0
        for count in 0..<bytes.count {
            let failure = #expect(throws: MessageScanFailure.self) {
                try EnvelopeScannerTests.scan(Array(bytes[..<count]))
            }
            let ids = failure?.ids ?? []
            #expect(ids == Array(legitimate.prefix(ids.count)), "cut at \(count)")
            recoveredSometime = max(recoveredSometime, ids.count)
        }
        #expect(recoveredSometime == legitimate.count)
    }

    @Test func idOfABrokenRequestIsItsSendersOwn() {
        for text in [
            #"{"method":"m","id":1,"params":["#, #"{"id":1,"method":"m","params":["#, #"[{"id":1,"method":5},"#,
        ] {
            let failure = #expect(throws: MessageScanFailure.self) { try EnvelopeScannerTests.scan(Array(text.utf8)) }
            #expect(failure?.ids == [])
        }
    }

    /// Each byte is replaced by each of some bytes. The reader does not trap, and agrees with the validating reader.
    @Test(arguments: whole)
    func anyDamagedByteGivesTheVerdictOfTheValidatingReader(text: String) {
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            for replacement: UInt8 in [
                0, 0x1F, 0x20, 0x22, 0x2C, 0x2D, 0x30, 0x3A, 0x5B, 0x5C, 0x5D, 0x65, 0x7B, 0x7D, 0x80, 0xFF,
            ] {
                var damaged = bytes
                damaged[index] = replacement
                let isJSON = (try? RawJSON(validating: damaged)) != nil
                let isScanned = (try? EnvelopeScannerTests.scan(damaged)) != nil
                #expect(isJSON == isScanned, "byte \(index) as \(replacement)")
            }
        }
    }
}
