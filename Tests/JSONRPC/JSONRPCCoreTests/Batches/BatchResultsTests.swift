// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

/// Reading of answers: JSONRPCKit's cases, each alone and in an array, and those that JSONRPCKit got wrong.
@Suite(.inTurn) struct BatchResultsTests {
    /// The place of the response in the answer.
    enum Form: CaseIterable {
        case alone, amongOthers

        func answer(_ response: String) -> [UInt8] {
            switch self {
            case .alone: Array(response.utf8)
            case .amongOthers:
                Array(
                    #"[{"jsonrpc":"2.0","id":98,"result":1},\#(response),{"jsonrpc":"2.0","id":99,"result":2}]"#.utf8)
            }
        }
    }

    private func result(
        _ response: String, _ form: Form, _ strictness: Strictness = .standard
    ) throws -> Result<Int, CallError> {
        let factory = BatchFactory(strictness: strictness)
        return try factory.create(Subtract(minuend: 42, subtrahend: 23)).results(from: form.answer(response))
    }

    // MARK: JSONRPCKit's cases

    @Test("K3, K1: a result", arguments: Form.allCases)
    func success(form: Form) throws {
        #expect(try result(#"{"jsonrpc":"2.0","id":1,"result":19}"#, form) == .success(19))
        #expect(try result(#"{"jsonrpc":"2.0","id":1,"result":19,"status":0}"#, form) == .success(19))
    }

    @Test("K3, K1 responseError: code, message and data are kept", arguments: Form.allCases)
    func errorObject(form: Form) throws {
        let response = #"{"jsonrpc":"2.0","id":1,"error":{"code":123,"message":"abc","data":{"key":"value"}}}"#
        let error = try #require(try result(response, form).failure?.errorObject)
        #expect(error.code == 123)
        #expect(error.message == "abc")
        #expect(try error.data(as: [String: String].self) == ["key": "value"])
    }

    @Test("K3, K1 resultObjectParseError: what the request's own decoding throws is kept", arguments: Form.allCases)
    func undecodableResult(form: Form) throws {
        let batch = try BatchFactory().create(CountOfMembers())
        let error = try #require(
            batch.results(from: form.answer(#"{"jsonrpc":"2.0","id":1,"result":5}"#)).failure?.clientError)
        #expect(error.code == .decodingFailed)
        #expect(error.cause as? Refused == Refused(reason: 7))
        #expect(error.delivery == .answered)
        let other = try #require(
            try result(#"{"jsonrpc":"2.0","id":1,"result":"text"}"#, form).failure?.clientError)
        #expect(other.code == .decodingFailed)
        #expect(other.cause is DecodingError)
    }

    @Test("K3, K1 errorObjectParseError: an error that is no error object", arguments: Form.allCases)
    func malformedError(form: Form) throws {
        for (error, irregularity) in [
            (#"{"message":"abc"}"#, Irregularity.missingErrorCode),
            (#"{"code":true,"message":"m"}"#, .missingErrorCode),
            ("7", .malformedError), (#""text""#, .malformedError), ("[1]", .malformedError),
        ] {
            let failure = try #require(
                try result(#"{"jsonrpc":"2.0","id":1,"error":\#(error)}"#, form).failure?.clientError)
            #expect(failure.code == .protocolViolation)
            #expect(failure.irregularity == irregularity)
            #expect(failure.requestID == 1)
            #expect(failure.method == "subtract")
        }
    }

    @Test(
        "K3, K1 unsupportedVersion: refused where strictness says so, read as 2.0 elsewhere", arguments: Form.allCases)
    func version(form: Form) throws {
        for (member, irregularity) in [
            (#""jsonrpc":"1.0","#, Irregularity.wrongVersion), (#""jsonrpc":2,"#, .wrongVersion), ("", .missingVersion),
        ] {
            let response = #"{\#(member)"id":1,"result":19}"#
            #expect(try result(response, form) == .success(19))
            let failure = try #require(try result(response, form, .strict).failure?.clientError)
            #expect(failure.code == .protocolViolation)
            #expect(failure.irregularity == irregularity)
        }
    }

    @Test("K3, K1 responseNotFound: says the request's own id and shows what came", arguments: Form.allCases)
    func missingResponse(form: Form) throws {
        let answer = #"{"jsonrpc":"2.0","id":2,"result":19}"#
        let failure = try #require(try result(answer, form).failure?.clientError)
        #expect(failure.code == .missingResponse)
        #expect(failure.requestID == 1)
        #expect(failure.received == form.answer(answer))
        #expect(!failure.description.contains("19"))
    }

    @Test("K3, K1 missingBothResultAndError", arguments: Form.allCases)
    func neither(form: Form) throws {
        let failure = try #require(try result(#"{"jsonrpc":"2.0","id":1}"#, form).failure?.clientError)
        #expect(failure.code == .protocolViolation)
        #expect(failure.irregularity == .neitherResultNorError)
    }

    @Test(
        "K3 unexpectedTypeObject: what is no response fails the call",
        arguments: [
            "7", #""text""#, "true", "null", #"{"jsonrpc":"2.0","method":"m"}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"m"}"#,
            "{}",
        ])
    func noResponse(answer: String) throws {
        let failure = try #require(try result(answer, .alone).failure?.clientError)
        #expect(failure.code == .protocolViolation)
        #expect(failure.irregularity == .notAMessage)
    }

    @Test func malformedJSONFailsEveryCall() throws {
        let batch = try BatchFactory().create(GetData(), Log("x"), GetData())
        let (first, second, third) = batch.results(from: Array(#"[{"jsonrpc":"2.0","id":1,"result":1},"#.utf8))
        for failure in [first.failure, third.failure] {
            #expect(failure?.clientError?.irregularity == .malformedJSON)
            #expect(failure?.clientError?.cause is JSONSyntaxError)
        }
        #expect(second.failure == nil)
        #expect(first.failure?.clientError?.requestID == 1)
        #expect(third.failure?.clientError?.requestID == 2)
    }

    // MARK: What JSONRPCKit got wrong

    @Test("K3 void-in-batch: a notification in a batch succeeds, whatever the answer holds")
    func voidInBatch() throws {
        let batch = try BatchFactory().create(
            Subtract(minuend: 1, subtrahend: 1), Log("x"), Subtract(minuend: 1, subtrahend: 1))
        let answer: JSONValue = [
            ["jsonrpc": "2.0", "id": nil, "error": ["code": -32700, "message": "m"]],
            ["jsonrpc": "2.0", "id": 2, "result": 2], ["jsonrpc": "2.0", "id": 1, "result": 1],
        ]
        let (first, _, third) = try batch.responses(from: answer)
        #expect([first, third] == [1, 2])
        let single: Void = try BatchFactory().create(Log("x")).responses(from: [] as [UInt8])
        #expect(single == ())
    }

    @Test("K3 id:null: an error that names no call is the call's", arguments: Form.allCases)
    func errorWithoutID(form: Form) throws {
        let response = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#
        #expect(try result(response, form) == .failure(.answered(ErrorObject(.parseError))))
        #expect(try result(response, form, .strict) == .failure(.answered(ErrorObject(.parseError))))
    }

    @Test("K3 id:null: within a batch it is that of the calls without an answer, and harms no other")
    func errorWithoutIDInBatch() throws {
        let batch = try BatchFactory().create(GetData(), GetData(), GetData())
        let answer: JSONValue = [
            ["jsonrpc": "2.0", "id": 3, "result": "c"],
            ["jsonrpc": "2.0", "id": nil, "error": ["code": -32600, "message": "Invalid Request"]],
            ["jsonrpc": "2.0", "id": 1, "result": "a"],
        ]
        let (first, second, third) = batch.results(from: answer)
        #expect(first == .success("a"))
        #expect(second == .failure(.answered(ErrorObject(.invalidRequest))))
        #expect(third == .success("c"))
    }

    @Test("K3 single error for batch: it is that of every call")
    func singleErrorForBatch() throws {
        let answer: JSONValue = ["jsonrpc": "2.0", "id": nil, "error": ["code": -32600, "message": "too many"]]
        let expected = CallError.answered(ErrorObject(code: .invalidRequest, message: "too many"))
        let (first, _, third) = try BatchFactory().create(GetData(), Log("x"), GetData()).results(from: answer)
        #expect(first.failure == expected)
        #expect(third.failure == expected)
        var strictness = Strictness.standard
        strictness[.batchAnsweredByError] = .failCall
        let refusing = try BatchFactory(strictness: strictness).create(GetData(), GetData())
        let (strict, _) = refusing.results(from: answer)
        #expect(strict.failure?.clientError?.irregularity == .batchAnsweredByError)
    }

    @Test("K3 nonArrayResponse: one response to a batch is that call's, and the others' are missing")
    func singleResponseForBatch() throws {
        let batch = try BatchFactory().create(GetData(), GetData())
        let (first, second) = batch.results(from: ["jsonrpc": "2.0", "id": 2, "result": "b"])
        #expect(first.failure?.clientError?.code == .missingResponse)
        #expect(second == .success("b"))
        let (nothing, _) = batch.results(from: [] as [UInt8])
        #expect(nothing.failure?.clientError?.code == .missingResponse)
    }

    @Test("K3 both-members: null beside the other is read as JSON-RPC 1.0, both are refused", arguments: Form.allCases)
    func bothMembers(form: Form) throws {
        #expect(try result(#"{"jsonrpc":"2.0","id":1,"result":19,"error":null}"#, form) == .success(19))
        #expect(
            try result(#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":5,"message":"m"}}"#, form)
                == .failure(.answered(ErrorObject(code: 5, message: "m"))))
        let both = try result(#"{"jsonrpc":"2.0","id":1,"result":19,"error":{"code":5,"message":"m"}}"#, form)
        #expect(both.failure?.clientError?.irregularity == .bothResultAndError)
    }

    @Test("K3 code-as-string: read under leniency, refused under strictness", arguments: Form.allCases)
    func codeAsString(form: Form) throws {
        let response = #"{"jsonrpc":"2.0","id":1,"error":{"code":"-32000","message":"m"}}"#
        #expect(
            try result(response, form) == .failure(.answered(ErrorObject(code: -32000, message: "m"))))
        #expect(try result(response, form, .strict).failure?.clientError?.irregularity == .errorCodeAsString)
    }

    @Test("K3: 1 and \"1\" are different ids, unless strictness says otherwise", arguments: Form.allCases)
    func numericStringID(form: Form) throws {
        let response = #"{"jsonrpc":"2.0","id":"1","result":19}"#
        #expect(try result(response, form).failure?.clientError?.irregularity == .stringForNumberID)
        var strictness = Strictness.standard
        strictness[.stringForNumberID] = .ignore
        #expect(try result(response, form, strictness) == .success(19))
    }

    @Test("K3: booleans and fractions are no ids", arguments: ["true", "1.0", "1.5", "[1]"])
    func invalidIDs(id: String) throws {
        let alone = try result(#"{"jsonrpc":"2.0","id":\#(id),"result":19}"#, .alone)
        #expect(alone.failure?.clientError?.irregularity == .invalidID)
        let among = try result(#"{"jsonrpc":"2.0","id":\#(id),"result":19}"#, .amongOthers)
        #expect(among.failure?.clientError?.code == .missingResponse)
    }

    @Test("K3: null is a result", arguments: Form.allCases)
    func nullResult(form: Form) throws {
        let batch = try BatchFactory().create(MethodCall("m", as: Int?.self))
        let result = batch.results(from: form.answer(#"{"jsonrpc":"2.0","id":1,"result":null}"#))
        #expect(result == .success(nil))
    }

    @Test("K3: any order, the first of two with one id counts, others are passed over")
    func orderAndDuplicates() throws {
        let batch = try BatchFactory().create(GetData(), GetData())
        let answer = #"""
            [7, {"jsonrpc":"2.0","id":2,"result":"b"}, {"jsonrpc":"2.0","id":2,"result":"again"}, "x",
             {"jsonrpc":"2.0","id":1,"result":"a"}, {"jsonrpc":"2.0","id":77,"result":"nobody's"}]
            """#
        let (first, second) = try batch.responses(from: Array(answer.utf8))
        #expect([first, second] == ["a", "b"])
    }

    @Test("K3: responses throws the first failure in the order of the requests, and results keeps them all")
    func firstFailure() throws {
        let batch = try BatchFactory().create(GetData(), CountOfMembers(), GetData())
        let answer: JSONValue = [
            ["jsonrpc": "2.0", "id": 3, "error": ["code": 3, "message": "third"]],
            ["jsonrpc": "2.0", "id": 2, "result": 5], ["jsonrpc": "2.0", "id": 1, "result": "a"],
        ]
        let results = batch.results(from: answer)
        #expect(results.0 == .success("a"))
        #expect(results.1.failure?.clientError?.code == .decodingFailed)
        #expect(results.2.failure?.errorObject?.code == 3)
        let error = #expect(throws: CallError.self) { try batch.responses(from: answer) }
        #expect(error?.clientError?.code == .decodingFailed)
    }

    @Test func emptyArrayFailsEveryCall() throws {
        let batch = try BatchFactory().create(GetData(), GetData())
        let (first, second) = batch.results(from: .array([]))
        #expect(first.failure?.clientError?.irregularity == .emptyBatch)
        #expect(second.failure?.clientError?.irregularity == .emptyBatch)
    }
}
