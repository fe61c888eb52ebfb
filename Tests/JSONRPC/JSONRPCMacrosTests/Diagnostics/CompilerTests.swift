// swift-jsonrpc · SPDX-License-Identifier: MIT

import MacroTestSupport
import TestSupport
import TestTurns
import Testing

/// Runs the compiler with the plugin. Errors must be at lines of the program, never in an expansion.
@Suite(.inTurn(within: .seconds(60)))
struct CompilerTests {
    @Test func allThatIsToldStandsInTheSource() async throws {
        let texts = try GoldenText.all(in: "Diagnostics")
        var files = [
            "Support.swift": """
            enum MyError: Error {}
            let names = [String: String]()
            let defaultStructure = ParamsStyle.byName
            func myNaming() -> RPCNaming { .snakeCase }
            """
        ]
        var expected: Set<CompilerComplaint> = []
        for text in texts {
            let name = "\(text.testDescription).swift"
            files[name] = text.source
            for message in Expansion(of: text.source).messages {
                expected.insert(CompilerComplaint(place: name, line: message.line, message: message.message))
            }
        }
        let complaints = try await Compiler.complaints(about: files)
        #expect(expected.subtracting(complaints).isEmpty)
        #expect(complaints.filter { files[$0.place] == nil }.isEmpty)
    }

    @Test func compilerErrorsPointIntoTheSource() async throws {
        let source = """
            struct NotCodable: Sendable {}
            final class NotSendable: Codable { var x = 1 }
            enum NotRepresentable: Error {}
            @JSONRPCProxyAndService
            protocol Bad {
                func good(first: Int, second: Int) async throws -> Int
                func param(first: Int, second: NotCodable) async throws
                @RPC(params: .byPosition) func position(_ first: NotCodable) async throws
                @RPC(params: .whole) func whole(_ first: NotCodable) async throws
                func result() async throws -> NotCodable
                func sendable(first: NotSendable) async throws
                func error() async throws(NotRepresentable)
                @RPCNotification func note(first: NotCodable) async throws
                func callback(completion: @escaping @Sendable (Result<NotCodable, any Error>) -> Void)
                func good2(first: Int?) async throws -> [String: Int]?
                @RPCNotificationStream("n") var pushes: NotificationStream<NotCodable> { get }
                func unknown(first: Missing) async throws
                @RPC(timeout: .fortnights(2)) func late() async throws
                @available(*, deprecated) func old(first: NotCodable) async throws
            }
            @JSONRPCProxy
            protocol BadFeed {
                @RPCSubscription(unsubscribe: nil) func values() async throws -> Subscription<NotCodable>
                @RPCSubscription(unsubscribe: nil) func param(first: NotCodable) async throws -> Subscription<Int>
                @RPCSubscription(unsubscribe: nil, style: .telegraph) func style() async throws -> Subscription<Int>
                @RPCSubscription(unsubscribe: nil, overflow: .flood) func overflow() async throws -> Subscription<Int>
            }
            """
        let complaints = try await Compiler.complaints(about: ["Bad.swift": source])
        #expect(Set(complaints.map(\.place)) == ["Bad.swift"])
        #expect(Set(complaints.map(\.line)) == [7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 23, 24, 25, 26])
    }

    /// Our names in the program's code, keywords, closures as names, and isolation cause no conflicts.
    @Test(arguments: [[], ["-default-isolation", "MainActor"], upcomingFeatures])
    func namesAndPlacesOfTheProgramAreNotInTheWay(options: [String]) async throws {
        let source = """
            public struct Encoder {}
            struct Decoder {}
            struct Encodable {}
            struct CodingKey {}
            struct RawJSON {}
            typealias Maybe = Int?

            @MainActor
            @JSONRPCProxyAndService
            protocol OnMain {
                func get(id: Int) async throws -> Int
                func find(id: Int, completion: @escaping @Sendable (Result<Int, any Error>) -> Void)
                func clear(done: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Task<Void, Never>
            }

            enum Space {
                @JSONRPCProxyAndService
                protocol Nested {
                    func get(caller: Int, jsonrpcCaller: Int, container: Int, encoder: String) async throws -> Int
                    func params(params: Int, implementation: Int, registrar: Int) async throws -> Int
                    func caller() async throws
                    func `init`(default: Int, class x: String, `self`: Int, `inout` y: Int) async throws
                    func type(of type: String) async throws -> String
                    func requests(request: Int, jsonrpcRequest: Int) async throws -> Int
                    func later(caller: Int, completion: @escaping @Sendable (Result<Int, any Error>) -> Void)
                }
                static func proxy(over caller: any JSONRPCCaller) -> any Nested { NestedProxy(over: caller) }
            }

            @JSONRPCProxyAndService(naming: .custom {
                // Loudly.
                $0 + "!"
            })
            protocol Odd {
                func maybe(_ m: Maybe, n: Maybe) async throws -> Maybe
                nonisolated func later(completion c: Int, done completion: @escaping @Sendable (Result<Int, any Error>) -> Void)
            }

            @MainActor
            @JSONRPCProxy(prefix: "f.", naming: .custom { $0 + "!" })
            protocol Feed {
                @RPCSubscription("s", unsubscribe: "u", style: .custom { _ in nil }, sharing: true)
                func feed(_ caller: Int, style: Int) async throws -> Subscription<Int>
                @RPCSubscription(unsubscribe: nil, style: .custom { _ in
                    // Nothing.
                    nil
                }, overflow: .fail(capacity: 3))
                func feed(caller: Int) async throws -> JSONRPCMacros.Subscription<[String: Int?]>
                @RPCSubscription("t", unsubscribe: "u")
                nonisolated func later(completion: @escaping @Sendable (Result<Subscription<Maybe>, any Error>) -> Void)
            }

            @MainActor final class Main: OnMain {
                func get(id: Int) async throws -> Int { id }
                func find(id: Int, completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {}
                func clear(done: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Task<Void, Never> { Task {} }
            }
            @MainActor func serve(by endpoint: any JSONRPCEndpoint) { endpoint.serve(OnMainService(Main())) }
            """
        let complaints = try await Compiler.complaints(about: ["Names.swift": source], options: options)
        #expect(complaints.isEmpty)
    }

    private static let upcomingFeatures = [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
    ].flatMap { ["-enable-upcoming-feature", $0] }

    /// Each macro has options of its own.
    @Test func aProtocolCanHaveTwoMacros() async throws {
        let source = """
            @JSONRPCProxy(params: .byPosition, timeout: .seconds(1))
            @JSONRPCService(unknownParams: .refused)
            protocol Both {
                @RPC("m") func call(first: Int, second: String?) async throws -> Int
            }
            func use(_ client: JSONRPCClient, _ both: any Both & Sendable) {
                client.serve(BothService(both))
                _ = BothProxy(over: client)
            }
            """
        #expect(try await Compiler.complaints(about: ["Both.swift": source]).isEmpty)
    }

    @Test func everyAccessLevelCompiles() async throws {
        let levels = ["public", "package", "internal", "fileprivate", "private", ""]
        let source = levels.enumerated().map { index, level in
            """
            @JSONRPCProxyAndService
            \(level) protocol P\(index) {
                func call(first: Int, second: String?) async throws -> Int
                func later(completion: @escaping @Sendable (Result<Void, any Error>) -> Void)
            }
            """
        }
        let complaints = try await Compiler.complaints(about: ["Levels.swift": source.joined(separator: "\n")])
        #expect(complaints.isEmpty)
    }
}
