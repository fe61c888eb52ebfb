// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

/// The compiler rejects members of a request that would not be sent.
@Suite(.inTurn(within: .seconds(60)))
struct RequestDeclarationTests {
    struct Case: CustomTestStringConvertible {
        var member: String
        var message: String

        init(_ member: String, _ message: String) {
            self.member = member
            self.message = message
        }

        var testDescription: String { member }
    }

    private static let params = "'params' would not be sent"
    private static let extraMembers = "'extraMembers' would not be sent"

    private static let refused: [Case] = [
        Case("var params: Any? { [42, 23] }", params),
        Case("var params: Any { [42, 23] }", params),
        Case("var params: [String: Any] { [:] }", params),
        Case("var params: [Any] { [1, \"a\"] }", params),
        Case("var params: any Encodable & Sendable { [42, 23] }", params),
        Case("var params: (any Encodable & Sendable)? { [42, 23] }", params),
        Case("var params: NotEncodable { NotEncodable() }", params),
        Case("let params: NotEncodable", params),
        Case("var params: [NotEncodable] { [] }", params),
        Case("var params: (Int, Int) { (42, 23) }", params),
        Case("var params: [Int] { get throws { [42, 23] } }", params),
        Case("var params: [Int] { get async { [42, 23] } }", params),
        Case("var params: NotSendable { NotSendable() }", "does not conform to the 'Sendable' protocol"),
        Case(
            "struct Params: Sendable {}\nvar params: Params { Params() }",
            "does not conform to protocol 'JSONRPCRequest'"),
        Case("var extraMembers: [String: String] { [\"auth\": \"x\"] }", extraMembers),
        Case("var extraMembers: [String: Any]? { nil }", extraMembers),
        Case("var extraMembers: JSONValue { [\"auth\": \"x\"] }", extraMembers),
        Case("var extraMembers: ExtraMembers? { nil }", extraMembers),
        Case("var timeout: Duration? { .seconds(5) }", "'timeout' would not be used: its type must be 'CallTimeout'"),
        Case("let timeout = 5.0", "'timeout' would not be used: its type must be 'CallTimeout'"),
        Case("var timeout: CallTimeout?", "'timeout' would not be used: its type must be 'CallTimeout'"),
        Case("var isIdempotent: Bool? { true }", "'isIdempotent' would not be used: its type must be 'Bool'"),
        Case("var parameters: [Int] { [42, 23] }", "'parameters' would not be sent: rename it to 'params'"),
        Case("let parameters = [\"a\": 1]", "'parameters' would not be sent: rename it to 'params'"),
        Case("var parameters: Any? { [42, 23] }", "'parameters' would not be sent: rename it to 'params'"),
    ]

    private static let imports = "import JSONRPCCore\nimport WireJSON\n"
    /// Types that the cases use.
    private static let support = """
        struct NotEncodable: Sendable {}
        final class NotSendable: Encodable { var x = 1 }
        """

    @Test func eachIsAnErrorAtTheDeclarationThatNamesTheMember() async throws {
        var files = ["Support.swift": Self.support]
        for (index, form) in Self.refused.enumerated() {
            files["Case\(index).swift"] =
                Self.imports + """
                    struct Case\(index): JSONRPCRequest {
                        typealias Response = Int
                        var method: String { "m" }
                        \(form.member)
                    }
                    """
        }
        let complaints = try await compilerComplaints(about: files)
        for (index, form) in Self.refused.enumerated() {
            let own = complaints.filter { $0.place == "Case\(index).swift" && $0.line == 3 && $0.isError }
            #expect(own.contains { $0.message.contains(form.message) }, "\(form.member)\n\(own)")
            // The first error names the protocol that the programmer knows.
            #expect(own.first?.message.contains("_RequestDeclaration") != true, "\(form.member)\n\(own)")
        }
        #expect(complaints.filter { files[$0.place] == nil } == [])
    }

    @Test func theSameHoldsForNotifications() async throws {
        let complaints = try await compilerComplaints(about: [
            "Log.swift": """
            import JSONRPCCore
            struct Log: JSONRPCNotification {
                var method: String { "log" }
                var params: Any? { ["x"] }
            }
            struct Odd: JSONRPCNotification {
                typealias Response = Int
                var method: String { "odd" }
            }
            """
        ])
        #expect(complaints.contains { $0.line == 2 && $0.message.contains(Self.params) }, "\(complaints)")
        #expect(complaints.contains { $0.line == 6 && $0.message.contains("'JSONRPCNotification' requires") })
    }

    /// All supported forms, without any message of the compiler.
    @Test(arguments: [
        [], ["-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "MemberImportVisibility"],
    ])
    func allOtherFormsCompile(options: [String]) async throws {
        let program =
            Self.imports + Self.support + """

                typealias Plain = [String: Int]
                struct Position: JSONRPCRequest {
                    typealias Response = Int
                    var method: String { "m" }
                    var params: [Int] { [1] }
                }
                struct Mixed: JSONRPCRequest {
                    typealias Response = Plain
                    let method = "m"
                    var params: some Encodable & Sendable { ByPosition(1, "a") }
                }
                struct Literal: JSONRPCRequest {
                    typealias Response = JSONValue
                    let method = "m", params: JSONValue = ["token:x", ["http"], ["dir": "/"]]
                    var extraMembers: ExtraMembers { ["auth": "x"] }
                }
                struct None: JSONRPCRequest {
                    typealias Response = Int
                    var method: String { "m" }
                }
                struct Ignoring: JSONRPCRequest {
                    typealias Response = Void
                    var method: String { "m" }
                    let params = ["a": 1]
                }
                struct Named: JSONRPCRequest {
                    struct Body: Encodable, Sendable { var a = 1 }
                    typealias Response = [Int]
                    var params: Body?
                    var method: String { "m" }
                    // Beside `params`, the property is the program's own.
                    var parameters: [Int] { [1] }
                }
                struct Generic<Params: Encodable & Sendable, Response: Decodable & Sendable>: JSONRPCRequest {
                    var method: String
                    var params: Params
                }
                final class Reference: JSONRPCRequest {
                    typealias Response = Int
                    var method: String { "m" }
                    let params = [1]
                }
                struct ByHand: JSONRPCRequest {
                    var method: String { "m" }
                    func response(from result: RawJSON, using coder: any MessageCoder) throws -> NotEncodable { NotEncodable() }
                }
                struct Timed: JSONRPCRequest {
                    typealias Response = Int
                    var method: String { "m" }
                    var timeout: CallTimeout { .seconds(5) }
                }
                struct TimedByCaller: JSONRPCRequest {
                    typealias Response = Int
                    var method: String { "m" }
                    var timeout = CallTimeout.none
                }
                struct Log: JSONRPCNotification {
                    var line: String
                    var method: String { "log" }
                    var params: [String] { [line] }
                }
                protocol Book: JSONRPCRequest where Params == [String] { var title: String { get } }
                extension Book { var params: [String] { [title] } }
                struct Buy: Book {
                    typealias Response = Int
                    var title: String
                    var method: String { "buy" }
                }
                struct Late { var method: String { "m" } }
                extension Late: JSONRPCRequest { typealias Response = Int }

                func send<R: JSONRPCRequest>(_ request: R) -> (R.Params, ExtraMembers) { (request.params, request.extraMembers) }
                func use(_ some: some JSONRPCRequest<Int>, _ any: any JSONRPCRequest, _ int: any JSONRPCRequest<Int>) {
                    _ = (send(some), send(any), send(int), any.params, any.extraMembers, some.method)
                    let none: NoParams = None().params
                    let members: ExtraMembers = Position().extraMembers
                    let params: [Int] = Reference().params
                    _ = (none, members, params, Log.isNotification, Ignoring.isNotification)
                }
                """
        #expect(try await compilerComplaints(about: ["Good.swift": program], options: options) == [])
    }
}
