// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite("EnvelopeScanner", .inTurn)
struct EnvelopeScannerTests {
    /// An envelope with texts in place of ranges.
    struct Reading: Equatable, CustomStringConvertible {
        var version = "absent"
        var id = "absent"
        var method = "absent"
        var params: String?
        var result: String?
        var error: String?
        var flags = ""

        var description: String {
            "\(version) id=\(id) method=\(method) params=\(params ?? "-") result=\(result ?? "-") error=\(error ?? "-") \(flags)"
        }

        init(
            version: String = "absent", id: String = "absent", method: String = "absent", params: String? = nil,
            result: String? = nil, error: String? = nil, flags: String = ""
        ) {
            (self.version, self.id, self.method, self.flags) = (version, id, method, flags)
            (self.params, self.result, self.error) = (params, result, error)
        }

        init(_ envelope: MessageEnvelope, in text: [UInt8]) throws {
            func part(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
            func string(_ range: Range<Int>, _ isEscaped: Bool) throws -> String {
                try text.withUnsafeBytes { try StringContent.string(in: $0, range: range, isEscaped: isEscaped) }
            }
            switch envelope.versionForm {
            case .absent: break
            case .two: version = "two"
            case .null, .number, .string, .escapedString, .other: version = "other"
            }
            switch envelope.id {
            case .absent: break
            case .null: id = "null"
            case .number(let number): id = "number \(number)"
            case .string(let range, let isEscaped): id = "string " + (try string(range, isEscaped))
            case .other(let range): id = "other " + part(range)
            }
            switch envelope.method {
            case .absent: break
            case .string(let range, let isEscaped): method = "string " + (try string(range, isEscaped))
            case .other(let range): method = "other " + part(range)
            }
            params = envelope.params.map(part)
            result = envelope.result.map(part)
            error = envelope.error.map(part)
            flags = [
                envelope.isObject ? "" : "no-object", envelope.hasExtraMembers ? "extra" : "",
                envelope.hasDuplicateMembers ? "duplicate" : "", envelope.hasDuplicateID ? "duplicate-id" : "",
            ].filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    static func scan(_ text: [UInt8]) throws(MessageScanFailure) -> (MessageScan, [MessageEnvelope]) {
        var members: [MessageEnvelope] = []
        let result = text.withUnsafeBytes { buffer in
            Result { () throws(MessageScanFailure) in try EnvelopeScanner().scan(buffer, members: &members) }
        }
        return (try result.get(), members)
    }

    static func readOne(_ text: String) throws -> Reading {
        let bytes = Array(text.utf8)
        guard case (.single(let envelope), let members) = try scan(bytes) else {
            Issue.record("\(text) is no single message")
            return Reading()
        }
        #expect(members.isEmpty)
        return try Reading(envelope, in: bytes)
    }

    static let messages: [(String, Reading)] = [
        ("{}", Reading()),
        (#"{"jsonrpc":"2.0","id":1,"result":19}"#, Reading(version: "two", id: "number 1", result: "19")),
        (#"{"result":[1,{"id":7}],"id":"a"}"#, Reading(id: "string a", result: #"[1,{"id":7}]"#)),
        (
            #" { "jsonrpc" : "2.0" , "method" : "subtract" , "params" : [ 42, 23 ] , "id" : 3 } "# + "\n",
            Reading(version: "two", id: "number 3", method: "string subtract", params: "[ 42, 23 ]")
        ),
        (
            #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"x","id":4},"id":null}"#,
            Reading(version: "two", id: "null", error: #"{"code":-32600,"message":"x","id":4}"#)
        ),
        // Versions
        (#"{"jsonrpc":"2\u002e0"}"#, Reading(version: "two")),
        (#"{"jsonrpc":2.0}"#, Reading(version: "other")),
        (#"{"jsonrpc":"1.0"}"#, Reading(version: "other")),
        (#"{"jsonrpc":"2.00"}"#, Reading(version: "other")),
        (#"{"jsonrpc":""}"#, Reading(version: "other")),
        (#"{"jsonrpc":null}"#, Reading(version: "other")),
        (#"{"jsonrpc":"2.0x","id":12}"#, Reading(version: "other", id: "number 12")),
        (#"{"id":1,"jsonrpc":"2.0" }"#, Reading(version: "two", id: "number 1")),
        // Names that begin or end like the known ones
        (
            #"{"jsonrpcs":1,"ids":2,"results":3,"methods":4,"paramss":5,"errors":6,"jsonrp":7,"erro":8}"#,
            Reading(flags: "extra")
        ),
        (
            #"{"jsonrpc" :"2.0","id"\t:1,"result"\n:2}"#.replacing("\\t", with: "\t").replacing("\\n", with: "\n"),
            Reading(version: "two", id: "number 1", result: "2")
        ),
        // Ids
        (#"{"id":0}"#, Reading(id: "number 0")),
        (#"{"id":-7}"#, Reading(id: "number -7")),
        (#"{"id":9223372036854775807}"#, Reading(id: "number 9223372036854775807")),
        (#"{"id":-9223372036854775808}"#, Reading(id: "number -9223372036854775808")),
        (#"{"id":9223372036854775808}"#, Reading(id: "other 9223372036854775808")),
        (#"{"id":-9223372036854775809}"#, Reading(id: "other -9223372036854775809")),
        (#"{"id":18446744073709551617}"#, Reading(id: "other 18446744073709551617")),
        (#"{"id":123456789012345678901234567890}"#, Reading(id: "other 123456789012345678901234567890")),
        (#"{"id":1.0}"#, Reading(id: "other 1.0")),
        (#"{"id":1e0}"#, Reading(id: "other 1e0")),
        (#"{"id":-0}"#, Reading(id: "other -0")),
        (#"{"id":true}"#, Reading(id: "other true")),
        (#"{"id":[1]}"#, Reading(id: "other [1]")),
        (#"{"id":{"id":1}}"#, Reading(id: #"other {"id":1}"#)),
        (#"{"id":"1"}"#, Reading(id: "string 1")),
        (#"{"id":""}"#, Reading(id: "string ")),
        (#"{"id":"é\n\u00e9\ud83d\ude00"}"#, Reading(id: "string é\né😀")),
        // Methods
        (#"{"method":""}"#, Reading(method: "string ")),
        (#"{"method":"a\/b"}"#, Reading(method: "string a/b")),
        (#"{"method":1}"#, Reading(method: "other 1")),
        (#"{"method":null,"params":null}"#, Reading(method: "other null", params: "null")),
        // Names with escapes, and names that are nearly right
        (#"{"\u0069d":5,"m\u0065thod":"x"}"#, Reading(id: "number 5", method: "string x")),
        (#"{"\u0069\u0064":5}"#, Reading(id: "number 5")),
        (#"{"\u0072\u0065\u0073\u0075\u006c\u0074":1}"#, Reading(result: "1")),
        (#"{"ID":1,"Id":2,"id ":3,"i":4,"":5,"idd":6}"#, Reading(flags: "extra")),
        (#"{"id\u0000":1}"#, Reading(flags: "extra")),
        ("{\"id\u{301}\":1,\"jsonrpc2\":2,\"\\ud800\":3,\"params\\uD83D\\uDE00\":4}", Reading(flags: "extra")),
        (#"{"sessionId":"s","id":1,"result":{}}"#, Reading(id: "number 1", result: "{}", flags: "extra")),
        // Repeated members: the last one counts
        (#"{"id":1,"id":2}"#, Reading(id: "number 2", flags: "duplicate duplicate-id")),
        (#"{"id":1,"\u0069d":null}"#, Reading(id: "null", flags: "duplicate duplicate-id")),
        (#"{"result":1,"result":2}"#, Reading(result: "2", flags: "duplicate")),
        (#"{"x":1,"x":2}"#, Reading(flags: "extra")),
        (#"{"result":1,"error":2}"#, Reading(result: "1", error: "2")),
        // Values that are not objects
        ("42", Reading(flags: "no-object")), ("null", Reading(flags: "no-object")),
        ("\"x\"", Reading(flags: "no-object")),
    ]

    @Test(arguments: messages)
    func everyMemberIsFound(text: String, reading: Reading) throws {
        #expect(try Self.readOne(text) == reading)
        // The same message as the middle member of an array.
        let bytes = Array("[\(text),0 , \(text)]".utf8)
        let (scan, members) = try Self.scan(bytes)
        #expect(scan == .batch(count: 3))
        #expect(try members.map { try Reading($0, in: bytes) } == [reading, Reading(flags: "no-object"), reading])
    }

    @Test func rangeIsTheWholeValueWithoutWhiteSpace() throws {
        let envelope = try #require(try Self.scan(Array("  {\"id\":1}\r\n".utf8)).0.single)
        #expect(envelope.range == 2..<10)
        let (_, members) = try Self.scan(Array("[ {} , 12]".utf8))
        #expect(members.map(\.range) == [2..<4, 7..<9])
        #expect(members.map(\.isObject) == [true, false])
    }

    @Test func membersBeyondTheMaximumAreValidatedAndCounted() throws {
        var few: [MessageEnvelope] = []
        let long = Array(#"[{"id":1},2,{"id":3}, 4]"#.utf8)
        let scan = try long.withUnsafeBytes { try EnvelopeScanner().scan($0, members: &few, maximumMembers: { 2 }) }
        #expect(scan == .batch(count: 4))
        #expect(few.map(\.id) == [.number(1), .absent])
        let broken = Array("[1,2,3,tru]".utf8)
        #expect(throws: MessageScanFailure.self) {
            try broken.withUnsafeBytes { try EnvelopeScanner().scan($0, members: &few, maximumMembers: { 2 }) }
        }
    }

    @Test func emptyArrayIsABatchOfNone() throws {
        let (scan, members) = try Self.scan(Array(" [ ] ".utf8))
        #expect(scan == .batch(count: 0))
        #expect(members.isEmpty)
    }

    @Test func arrayWithinABatchIsAMemberThatIsNoObject() throws {
        let (scan, members) = try Self.scan(Array(#"[[{"id":1}],{"id":2}]"#.utf8))
        #expect(scan == .batch(count: 2))
        #expect(members.map(\.id) == [.absent, .number(2)])
    }

    @Test func textOfFourGigabytesIsRefusedUnread() {
        var members: [MessageEnvelope] = []
        // Offsets would not fit into an envelope. Only the first two bytes exist: the text must not be read.
        let result = Array("{}".utf8).withUnsafeBytes { bytes in
            let text = UnsafeRawBufferPointer(start: bytes.baseAddress, count: 1 << 32)
            return Result { () throws(MessageScanFailure) in try EnvelopeScanner().scan(text, members: &members) }
        }
        let failure = #expect(throws: MessageScanFailure.self) { try result.get() }
        #expect(failure?.error.reason == .textTooLarge)
        #expect(failure?.ids == [])
    }

    @Test func reusedArrayHoldsTheLastTextAlone() throws {
        var members: [MessageEnvelope] = []
        let scanner = EnvelopeScanner()
        for (text, count) in [("[1,2,3]", 3), ("[1]", 1), ("{}", 0)] {
            _ = try Array(text.utf8).withUnsafeBytes { try scanner.scan($0, members: &members) }
            #expect(members.count == count)
        }
        #expect(throws: MessageScanFailure.self) {
            try Array("[1,2".utf8).withUnsafeBytes { try scanner.scan($0, members: &members) }
        }
        #expect(members.isEmpty)
    }

    @Test(arguments: [(64, true), (65, true), (512, true), (513, false), (100_000, false)])
    func nestingIsLimitedInMembersToo(depth: Int, isAccepted: Bool) throws {
        let nested = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
        let text = Array("{\"id\":1,\"result\":\(nested)}".utf8)
        if isAccepted {
            let envelope = try #require(try Self.scan(text).0.single)
            #expect(envelope.result?.count == 2 * (depth - 1))
        } else {
            let failure = #expect(throws: MessageScanFailure.self) { try Self.scan(text) }
            #expect(failure?.error.reason == .nestingTooDeep)
            #expect(failure?.ids == [.number(1)])
        }
    }
}

extension MessageScan {
    /// The one value; `nil` for an array.
    fileprivate var single: MessageEnvelope? {
        switch self {
        case .single(let envelope): envelope
        case .batch: nil
        }
    }
}
