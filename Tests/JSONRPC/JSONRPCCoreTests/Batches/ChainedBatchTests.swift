// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestSupport
import TestTurns
import Testing
import WireJSON

/// A batch is made and read in one expression, with any number of requests.
@Suite(.inTurn(within: .seconds(60)))
struct ChainedBatchTests {
    private struct Text: JSONRPCRequest {
        typealias Response = String
        var method: String { "text" }
    }

    private let a = Subtract(minuend: 42, subtrahend: 23)
    private let b = Text()

    /// Answers with the ids as results: odd ones as numbers, even ones as strings.
    private func answer(_ count: Int) -> JSONValue {
        .array(
            (1...count).map {
                ["jsonrpc": "2.0", "id": JSONValue($0), "result": $0.isMultiple(of: 2) ? "\($0)" : JSONValue($0)]
            })
    }

    @Test func chained() throws {
        let factory = { BatchFactory() }
        #expect(try factory().create(a).responses(from: answer(1)) == 1)
        #expect(try factory().create(a, b).responses(from: answer(2)) == (1, "2"))
        #expect(try factory().create(a, b, a).responses(from: answer(3)) == (1, "2", 3))
        #expect(try factory().create(a, b, a, b).responses(from: answer(4)) == (1, "2", 3, "4"))
        #expect(try factory().create(a, b, a, b, a).responses(from: answer(5)) == (1, "2", 3, "4", 5))
        #expect(try factory().create(a, b, a, b, a, b).responses(from: answer(6)) == (1, "2", 3, "4", 5, "6"))
        let seven = try factory().create(a, b, a, b, a, b, a).responses(from: answer(7))
        #expect([seven.0, seven.2, seven.4, seven.6] == [1, 3, 5, 7])
        let eight = try BatchFactory().create(a, b, a, b, a, b, a, b).responses(from: answer(8))
        #expect([eight.1, eight.3, eight.5, eight.7] == ["2", "4", "6", "8"])
        let (first, _, _, _, _, _, _, _, ninth) = try BatchFactory().create(a, b, a, b, a, b, a, b, a)
            .responses(from: answer(9))
        #expect([first, ninth] == [1, 9])
    }

    @Test func chainedResults() throws {
        let (one, two) = try BatchFactory().create(a, b).results(from: answer(2))
        #expect(one == .success(1))
        #expect(two == .success("2"))
        let (first, _, _, fourth) = try BatchFactory().create(a, b, a, b).results(from: Array(answer(4).bytes))
        #expect(first == .success(1))
        #expect(fourth == .success("4"))
    }

    @Test func split() throws {
        let two = try BatchFactory().create(a, b)
        #expect(try two.responses(from: answer(2)) == (1, "2"))
        let four = try BatchFactory().create(a, b, a, b)
        let answer = answer(4)
        let (w, x, y, z) = try four.responses(from: answer)
        #expect((w, x, y, z) == (1, "2", 3, "4"))
        let nine = try BatchFactory().create(a, b, a, b, a, b, a, b, a)
        let results = nine.results(from: self.answer(9))
        #expect(results.8 == .success(9))
    }

    /// Compiled as a program, which sees only the public symbols of the modules.
    @Test func inAProgram() async throws {
        let calls = (1...9).map { count in
            let names = (0..<count).map { "r\($0)" }
            let requests = (0..<count).map { $0.isMultiple(of: 2) ? "A()" : "B()" }.joined(separator: ", ")
            let pattern = count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
            return """
                func f\(count)(_ x: [UInt8], _ y: JSONValue) throws {
                    let \(pattern) = try BatchFactory().create(\(requests)).responses(from: x)
                    _ = (\(names.joined(separator: ", ")))
                    let batch = try BatchFactory().create(\(requests))
                    let parsed = try batch.responses(from: y), results = batch.results(from: x)
                    _ = (parsed, results)
                }
                """
        }
        let program = """
            import JSONRPCCore
            import WireJSON
            struct A: JSONRPCRequest { typealias Response = Int; var method: String { "a" } }
            struct B: JSONRPCRequest { typealias Response = String; var method: String { "b" } }
            \(calls.joined(separator: "\n"))
            func same(_ x: [UInt8]) throws -> Bool {
                try BatchFactory().create(A(), B()).responses(from: x) == (1, "b")
                    && BatchFactory().create(A(), B(), A(), B()).responses(from: x) == (1, "b", 2, "c")
            }
            """
        #expect(try await compilerComplaints(about: ["Program.swift": program]) == [])
    }
}
