// swift-jsonrpc · SPDX-License-Identifier: MIT

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
            "func v() { do { try make() } catch JSONRPCError.responseError(let code, _, _) { print(code) } catch {} }",
            "'responseError' is '.answered(ErrorObject)'"
        ),
        (
            "func w(_ e: JSONRPCError) { switch e { case .responseNotFound(let id, _): print(id as Any); default: break } }",
            "all others are '.failed(ClientError)'"
        ),
        ("let u = BatchFactory(version: \"2.0\", idGenerator: NumberIDGenerator())", "Pass a VersionMember"),
    ]

    private static let start = """
        import JSONRPCCore
        import WireJSON
        struct Ping: JSONRPCRequest { typealias Response = Int; var method: String { "ping" } }
        func make() throws {}

        """

    @Test func eachSaysWhatStandsForIt() async throws {
        let program = Self.start + Self.cases.map(\.line).joined(separator: "\n")
        let complaints = try await compilerComplaints(about: ["Program.swift": program])
        for (number, (line, diagnostic)) in Self.cases.enumerated() {
            // The program begins with four lines of its own.
            let errors = complaints.filter { $0.line == number + 5 && $0.isError }
            #expect(errors.contains { $0.message.contains(diagnostic) }, "\(line)\n\(errors)")
        }
    }

    @Test func theyDoNotCollideWithNamesOfOtherModules() async throws {
        // `Foundation` has none of them; the program's own stand for those of any other module.
        let program =
            Self.start + """
                struct Request { var id: Id }
                struct Id {}
                struct Call {}
                struct JSONRPCError: Error {}
                let request = Request(id: Id()), call = (Call(), JSONRPCError())
                """
        #expect(try await compilerComplaints(about: ["Program.swift": program]).filter(\.isError) == [])
    }
}
