// swift-jsonrpc · SPDX-License-Identifier: MIT

import Histogram
import JSONRPCSession
import TestTurns
import Testing
import ToolSupport

@testable import LoadTester

@Suite(.inTurn) struct RequestTemplateTests {
    /// The params of the first requests of a line.
    private func fill(_ params: String, count: UInt64 = 1, seed: UInt64 = 7) throws -> [String] {
        let template = try RequestTemplate(RawJSON(validating: params))
        var random = SplitMix64(state: seed)
        return try (0..<count).map { number in
            let filled = template.constant ?? template.fill(number: number, &random)
            // The result is valid JSON, whatever the values are.
            return try RawJSON(validating: filled.bytes).text
        }
    }

    @Test(
        arguments: [
            (#"["{{counter}}"]"#, ["[1]", "[2]", "[3]"]),
            (#"{"id": "{{counter 100}}"}"#, [#"{"id": 100}"#, #"{"id": 101}"#, #"{"id": 102}"#]),
            (#"["u-{{counter -1}}-x"]"#, [#"["u--1-x"]"#, #"["u-0-x"]"#, #"["u-1-x"]"#]),
            // The name of a member stays a string.
            (#"{"{{counter}}" : 1}"#, [#"{"1" : 1}"#, #"{"2" : 1}"#, #"{"3" : 1}"#]),
            (#"["{{random 5..5}}", "{{ random 5..5 }}a"]"#, [#"[5, "5a"]"#, #"[5, "5a"]"#, #"[5, "5a"]"#]),
            (#"["{{pick x}}{{pick }}"]"#, [#"["x"]"#, #"["x"]"#, #"["x"]"#]),
            // Escapes around a placeholder stay as they are.
            (#"["\"{{counter}}\\", 1]"#, [#"["\"1\\", 1]"#, #"["\"2\\", 1]"#, #"["\"3\\", 1]"#]),
        ] as [(String, [String])])
    func placeholdersAreReplaced(_ params: String, _ expected: [String]) throws {
        if params.contains("{{pick }}") {
            #expect(throws: UsageError.self) { _ = try fill(params) }
        } else {
            #expect(try fill(params, count: 3) == expected)
        }
    }

    @Test(arguments: [
        (#"["{{{{counter}}"]"#, #"["{{counter}}"]"#), (#"["a}}b{c"]"#, #"["a}}b{c"]"#), ("[]", "[]"),
        (#"{"a":["\"{",{"b":"\\"}]}"#, #"{"a":["\"{",{"b":"\\"}]}"#),
    ])
    func paramsWithoutPlaceholdersAreConstant(_ params: String, _ expected: String) throws {
        #expect(try RequestTemplate(RawJSON(validating: params)).constant?.text == expected)
    }

    @Test func randomValuesAreInTheirRange() throws {
        let numbers = try fill(#"["{{random -2..2}}"]"#, count: 200).map { Int($0.dropFirst().dropLast()) }
        #expect(Set(numbers) == [-2, -1, 0, 1, 2])
        let floats = try fill(#"["{{float 0.5..2}}"]"#, count: 100).compactMap { Double($0.dropFirst().dropLast()) }
        #expect(floats.count == 100)
        #expect(floats.allSatisfy { (0.5..<2).contains($0) })
        let picks = try fill(#"["{{pick a|b c|\n}}"]"#, count: 100)
        #expect(Set(picks) == [#"["a"]"#, #"["b c"]"#, #"["\n"]"#])
        let extreme = try fill(#"["{{random -9223372036854775808..9223372036854775807}}"]"#, count: 10)
        #expect(Set(extreme).count == 10)
    }

    @Test func textsAndUUIDsHaveTheirForm() throws {
        for text in try fill(#"["{{text 16}}"]"#, count: 20) {
            #expect(text.wholeMatch(of: /\["[a-z0-9]{16}"\]/) != nil, "\(text)")
        }
        let uuids = try fill(#"["{{uuid}}"]"#, count: 20)
        #expect(Set(uuids).count == 20)
        for uuid in uuids {
            let form = /\["[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"\]/
            #expect(uuid.wholeMatch(of: form) != nil, "\(uuid)")
        }
    }

    @Test(arguments: [
        "{{}}", "{{counter", "{{count}}", "{{counter x}}", "{{random}}", "{{random 5}}", "{{random 5..1}}",
        "{{random 1..99999999999999999999}}", "{{float a..b}}", "{{float nan..1}}", "{{float -1e308..1e308}}",
        "{{uuid 1}}",
        "{{text}}", "{{text 0}}", "{{text 65537}}", "{{pick}}", "a{{b}}c",
    ])
    func otherPlaceholdersAreRefused(_ text: String) {
        #expect(throws: UsageError.self) { _ = try fill(#"["\#(text)"]"#) }
    }
}

@Suite(.inTurn) struct RequestMixTests {
    private func mix(_ text: String, seed: UInt64 = 1) throws -> RequestMix {
        try RequestMix(workload: Array(text.utf8), named: "w.ndjson", seed: seed)
    }

    @Test func requestsAreChosenByWeight() throws {
        let mix = try mix(
            """
            {"method":"a","weight":6}

            {"method":"b","params":{"n":"{{counter}}"},"weight":3.0}\r
              {"method":"c"}
            """)
        #expect(mix.methods == ["a", "b", "c"])
        var counts = [0, 0, 0]
        var numbers: [String] = []
        for _ in 0..<10_000 {
            let request = mix.next()
            counts[request.index] += 1
            #expect(request.method == mix.methods[request.index])
            if let params = request.params { numbers.append(params.text) }
        }
        #expect((5800...6200).contains(counts[0]), "\(counts)")
        #expect((2800...3200).contains(counts[1]), "\(counts)")
        #expect((900...1100).contains(counts[2]), "\(counts)")
        #expect(numbers == (1...counts[1]).map { #"{"n":\#($0)}"# })
    }

    @Test func aSeedRepeatsTheRequests() throws {
        let text = #"{"method":"a","params":["{{random 1..1000000}}"]}"# + "\n" + #"{"method":"b"}"#
        func first(_ seed: UInt64) throws -> [String] {
            let mix = try mix(text, seed: seed)
            return (0..<20).map { _ in
                let request = mix.next()
                return request.method + (request.params?.text ?? "")
            }
        }
        #expect(try first(5) == first(5))
        #expect(try first(5) != first(6))
        #expect(Set(try first(5)).count > 5)
    }

    @Test(
        arguments: [
            ("", "w.ndjson has no request."), ("\n \n", "w.ndjson has no request."),
            ("{\"method\":\"a\"}\n{", "w.ndjson, line 2, column 2: "), ("[1]", "line 1: Expected a JSON object"),
            ("{\"method\":\"a\"}\n\n{\"method\":1}", "line 3: 'method' must be a string."),
            ("{}", "line 1: 'method' is missing or empty."),
            (#"{"method":""}"#, "line 1: 'method' is missing or empty."),
            (#"{"method":"a","params":1}"#, "line 1: 'params' must be an array or an object."),
            (#"{"method":"a","weight":0}"#, "line 1: 'weight' must be a number above 0"),
            (#"{"method":"a","weight":-1}"#, "line 1: 'weight' must be"),
            (#"{"method":"a","weight":"1"}"#, "line 1: 'weight' must be"),
            (#"{"method":"a","weight":1e400}"#, "line 1: 'weight' must be"),
            (#"{"method":"a","method":"b"}"#, "line 1: The member 'method' is repeated."),
            (#"{"method":"a","wait":1}"#, "line 1: The member 'wait' is unknown."),
            (#"{"method":"a","params":["{{x}}"]}"#, "line 1: The placeholder {{x}} is invalid."),
            (String(repeating: "{\"method\":\"a\"}\n", count: 257), "line 257: A workload has at most 256 requests."),
        ])
    func errorsNameTheLine(_ text: String, _ message: String) {
        #expect { _ = try mix(text) } throws: {
            ($0 as? UsageError)?.description.contains(message) == true
        }
    }

    @Test func eachMethodHasItsFigures() async throws {
        var workload = Workload(concurrency: 2, limit: .requests(1000))
        workload.mix = try mix("{\"method\":\"a\"}\n{\"method\":\"b\"}")
        let measurement = await workload.run(
            [
                BenchCaller {
                    if $0.method == "b" { throw CallFailure(kind: .errorObject, delivery: .answered, message: "no") }
                }
            ], recorder: LatencyRecorder(methods: workload.mix.methods))
        #expect(measurement.methods.map(\.name) == ["a", "b"])
        #expect(measurement.methods.map(\.calls).reduce(0, +) == 1000)
        #expect(measurement.methods[0].errors == 0)
        #expect(measurement.methods[1].errors == measurement.methods[1].calls)
        #expect(measurement.methods[0].latencies.totalCount == measurement.methods[0].calls)
        let report = BenchSamples.report(measurement)
        #expect(report.table.contains("methods            calls      errors         p50         p99\n"))
        #expect(try report.json().contains(#""methods":[{"method":"a","calls":"#))
    }
}
