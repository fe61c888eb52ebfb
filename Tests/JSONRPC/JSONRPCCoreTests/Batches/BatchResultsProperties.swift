// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestSupport
import TestTurns
import Testing
import WireJSON

/// No answer traps, and each request has one outcome that the answer explains.
@Suite(.inTurn) struct BatchResultsProperties {
    private static let results = ["19", "null", #""text""#, "[1]", #"{"a":1}"#, "1e400", #""\ud800""#]
    private static let errors = [
        "null", "7", "[]", "{}", #"{"code":5,"message":"m"}"#, #"{"code":"5","message":"m"}"#, #"{"code":1.5}"#,
        #"{"code":-32600,"message":"Invalid Request","data":{"a":[1]}}"#,
    ]
    private static let ids = ["1", "2", "3", "4", "5", "77", #""1""#, "null", "1.0", "true", "9223372036854775808"]

    /// A member of an answer: mostly a response.
    private static func member(_ random: inout SeededGenerator) -> String {
        if random.oneIn(10) {
            return ["7", "null", "[]", "{}", #"{"method":"m"}"#].randomElement(using: &random) ?? ""
        }
        var members: [String] = []
        if !random.oneIn(8) { members.append(#""jsonrpc":"2.0""#) }
        if !random.oneIn(8) { members.append(#""id":\#(ids.randomElement(using: &random) ?? "")"#) }
        if !random.oneIn(3) { members.append(#""result":\#(results.randomElement(using: &random) ?? "")"#) }
        if random.oneIn(3) { members.append(#""error":\#(errors.randomElement(using: &random) ?? "")"#) }
        return "{\(members.shuffled(using: &random).joined(separator: ","))}"
    }

    private static func answer(_ random: inout SeededGenerator) -> [UInt8] {
        let members = (0..<Int.random(in: 0..<8, using: &random)).map { _ in member(&random) }
        var bytes = Array((random.oneIn(6) ? members.first ?? "" : "[\(members.joined(separator: ","))]").utf8)
        // Some answers are damaged.
        if random.oneIn(5), let index = bytes.indices.randomElement(using: &random) {
            if random.oneIn(2) {
                bytes.removeSubrange(index...)
            } else {
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
        }
        return bytes
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func eachRequestHasOneOutcome(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let strictness: Strictness = random.oneIn(2) ? .standard : .strict
            let requests: [MethodCall<NoParams, JSONValue>] = (0..<5).map { MethodCall("m\($0)") }
            let batch = try BatchFactory(strictness: strictness).create(requests)
            let answer = Self.answer(&random)
            let comment = Comment(rawValue: "seed \(seed): \(String(decoding: answer, as: UTF8.self))")
            let outcomes = batch.results(from: answer)
            #expect(outcomes.count == 5, comment)
            let responses = Self.responses(in: answer)
            for (index, outcome) in outcomes.enumerated() {
                switch outcome {
                case .success(let result):
                    // The first response with exactly this id: `1.0` is another id.
                    let own = responses.first { $0["id"]?.description == "\(index + 1)" }
                    #expect((own?["result"] ?? .null) == result, comment)
                case .failure(.answered(let error)):
                    #expect(responses.contains { Self.code(of: $0) == error.code.rawValue }, comment)
                case .failure(.failed(let error)):
                    #expect(error.delivery == .answered, comment)
                    #expect(error.requestID == .number(Int64(index + 1)) || error.code == .decodingFailed, comment)
                    #expect(error.method == "m\(index)", comment)
                case .failure(.cancelled): Issue.record(comment)
                }
            }
        }
    }

    /// The members of an answer, read without the library's envelopes.
    private static func responses(in answer: [UInt8]) -> [JSONValue] {
        guard let elements = try? RawJSON(validating: answer).elements() else {
            return (try? JSONValue(parsing: answer)).map { [$0] } ?? []
        }
        return elements.map { element in
            // Half of a surrogate pair makes a member that is JSON, but not a `JSONValue`.
            (try? JSONValue(element)) ?? .null
        }
    }

    private static func code(of response: JSONValue) -> Int? {
        guard let code = response["error"]?["code"] else { return nil }
        return code.intValue ?? code.stringValue.flatMap { Int($0) } ?? code.doubleValue.map { Int($0) }
    }
}
