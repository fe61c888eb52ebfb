// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// What the compiler tells a program that uses JSONRPCKit's names.
@Suite("K3, K1: old names", .inTurn(within: .seconds(60)))
struct MigrationTests {
    /// A line of such a program, and what is said about it.
    private static let cases: [(line: String, diagnostic: String)] = [
        ("struct A: Request { typealias Response = Int }", "'Request' has been renamed to 'JSONRPCRequest'"),
        ("struct B: RequestType { typealias Response = Int }", "'RequestType' has been renamed to 'JSONRPCRequest'"),
        ("let e = Id.number(1)", "'Id' has been renamed to 'RequestID'"),
        ("func f(_ ids: any IdGenerator) {}", "'IdGenerator' has been renamed to 'IDGenerator'"),
        ("func g(_ ids: any IdGeneratorType) {}", "'IdGeneratorType' has been renamed to 'IDGenerator'"),
        ("let h = NumberIdGenerator()", "'NumberIdGenerator' has been renamed to 'NumberIDGenerator'"),
        ("let i = CallBatchFactory()", "'CallBatchFactory' has been renamed to 'BatchFactory'"),
        ("func j(_ batch: some CallBatchType) {}", "'CallBatchType' has been renamed to 'Batch'"),
        ("func k(_ batch: Batch1<Ping>) {}", "'Batch1' has been renamed to 'SingleBatch'"),
        ("func l(_ batch: Batch2<Ping, Ping>) {}", "'Batch2' has been renamed to 'TypedBatch'"),
        ("func m(_ batch: Batch6<Ping, Ping, Ping, Ping, Ping, Ping>) {}", "'Batch6' has been renamed to 'TypedBatch'"),
        ("func n(_ batch: CallBatch3<Ping, Ping, Ping>) {}", "'CallBatch3' has been renamed to 'TypedBatch'"),
        ("func o(_ element: BatchElement<Ping>) {}", "'BatchElement' is unavailable"),
        (
            "func p(_ f: BatchFactory, _ r: Ping) throws { _ = try f.create(request1: r, r, r, r, r, r) }",
            "has been renamed to 'create(_:)'"
        ),
        (
            "func r(_ batch: some Batch, _ any: Any) { _ = batch.resultsFromObject(any) }",
            "'resultsFromObject' has been renamed to 'results(from:)'"
        ),
        ("func s(_ error: any Error) { _ = error as? JSONRPCError }", "use 'CallError'"),
        ("let t = JSONRPCError.unsupportedVersion(nil)", "use 'CallError'"),
        (
            "func v() { do { try Ping.make() } catch JSONRPCError.responseError(let code, _, _) { print(code) } catch {} }",
            "'responseError' is '.answered(ErrorObject)'"
        ),
        (
            "func w(_ e: JSONRPCError) { switch e { case .responseNotFound(let id, _): print(id as Any); default: break } }",
            "all others are '.failed(ClientError)'"
        ),
        ("let u = BatchFactory(version: \"2.0\", idGenerator: NumberIDGenerator())", "Pass a VersionMember"),
    ]

    @Test func eachSaysWhatStandsForIt() async throws {
        let output = try await diagnostics(of: Self.cases.map(\.line))
        for (number, (line, diagnostic)) in Self.cases.enumerated() {
            // The file begins with three lines of its own.
            let errors = output.filter { $0.contains("program.swift:\(number + 4):") && $0.contains("error:") }
            #expect(errors.contains { $0.contains(diagnostic) }, "\(line)\n\(errors.joined(separator: "\n"))")
        }
    }

    @Test func theyDoNotCollideWithNamesOfOtherModules() async throws {
        // `Foundation` has none of them; the program's own stand for those of any other module.
        let output = try await diagnostics(of: [
            "struct Request { var id: Id }", "struct Id {}", "struct Call {}", "struct JSONRPCError: Error {}",
            "let request = Request(id: Id())", "let call = (Call(), JSONRPCError())",
        ])
        #expect(output.filter { $0.contains("error:") } == [])
    }

    /// Lets the compiler read a program against the built modules.
    private func diagnostics(of lines: [String]) async throws -> [String] {
        try await withTemporaryDirectory { folder in
            let program = URL(filePath: folder).appending(path: "program.swift").path(percentEncoded: false)
            let start = [
                "import JSONRPCCore", "import WireJSON",
                "struct Ping: JSONRPCRequest { typealias Response = Int; var method: String { \"ping\" }; static func make() throws {} }",
            ]
            try Data((start + lines).joined(separator: "\n").utf8).write(to: URL(filePath: program))
            let modules = Bundle.main.bundleURL.appending(path: "Modules").path(percentEncoded: false)
            let log = program + ".log"
            let process = try PeerProcess(
                "/bin/sh",
                [
                    "-c", #"exec swiftc -typecheck -parse-as-library -swift-version 6 -I "$1" "$2" >"$3" 2>&1"#, "sh",
                    modules, program, log,
                ])
            let status = try await process.exitStatus()
            let output = try String(contentsOf: URL(filePath: log), encoding: .utf8)
            // Otherwise the modules were not found, and no diagnostic says anything.
            try #require(!output.contains("no such module"), "\(output)")
            try #require(status == 0 || output.contains("program.swift:"), "\(output)")
            return output.split(separator: "\n").map(String.init)
        }
    }
}
