// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// What the compiler says, with the plugin as it was built: that a program's author is shown the author's own lines.
@Suite(.inTurn(within: .seconds(60)))
struct CompilerTests {
    struct Complaint: Hashable, CustomStringConvertible {
        /// A file's name, or the name of an expansion.
        var place: String
        var line: Int
        var message: String

        var description: String { "\(place):\(line): \(message)" }
    }

    /// Checks the types in some files, and gives the errors.
    private func complaints(about files: [String: String], options: [String] = []) async throws -> Set<Complaint> {
        let products = try #require(Bundle.main.executableURL).resolvingSymlinksInPath().deletingLastPathComponent()
        return try await withTemporaryDirectory { folder in
            for (name, text) in files {
                try Data("import JSONRPCMacros\n\(text)".utf8).write(to: URL(filePath: folder).appending(path: name))
            }
            let compiler = Process()
            compiler.executableURL = URL(filePath: "/usr/bin/env")
            compiler.arguments =
                [
                    "swiftc", "-typecheck", "-wmo", "-package-name", "example", "-swift-version", "6",
                    "-parse-as-library", "-diagnostic-style", "llvm", "-warnings-as-errors",
                    "-I", products.appending(path: "Modules").path, "-load-plugin-executable",
                    products.appending(path: "JSONRPCMacrosPlugin-tool").path + "#JSONRPCMacrosPlugin",
                ] + options + files.keys.sorted().map { "\(folder)/\($0)" }
            let output = Pipe()
            compiler.standardError = output
            try compiler.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            compiler.waitUntilExit()
            #expect(compiler.terminationReason == .exit, "\(text)")
            return Set(text.split(separator: "\n").compactMap { Self.complaint(String($0), files) })
        }
    }

    /// Reads `PLACE:LINE:COLUMN: error: MESSAGE`.
    private static func complaint(_ line: String, _ files: [String: String]) -> Complaint? {
        guard let mark = line.range(of: ": error: ") else {
            return line.hasPrefix("error: ") ? Complaint(place: "", line: 0, message: line) : nil
        }
        let words = line[..<mark.lowerBound].split(separator: ":")
        guard words.count >= 3, let number = Int(words[words.count - 2]) else {
            return Complaint(place: "", line: 0, message: line)
        }
        let path = words.dropLast(2).joined(separator: ":")
        let name = path.split(separator: "/").last.map(String.init) ?? path
        var message = String(line[mark.upperBound...])
        if let origin = message.range(of: " (from macro '") { message = String(message[..<origin.lowerBound]) }
        // The line that imports the module comes first.
        return Complaint(
            place: files[name] == nil ? path : name, line: number - 1, message: message)
    }

    @Test func allThatIsToldStandsInTheSource() async throws {
        let texts = try GoldenText.all(in: "Diagnostics")
        var files = [
            "Support.swift": """
            enum MyError: Error {}
            let names = [String: String]()
            let defaultStructure = ParamsStructure.byName
            func myNaming() -> RPCNaming { .snakeCase }
            """
        ]
        var expected: Set<Complaint> = []
        for text in texts {
            let name = "\(text.testDescription).swift"
            files[name] = text.source
            for message in Expansion(of: text.source).messages {
                expected.insert(Complaint(place: name, line: message.line, message: message.message))
            }
        }
        let complaints = try await complaints(about: files)
        #expect(expected.subtracting(complaints).isEmpty)
        #expect(complaints.filter { files[$0.place] == nil }.isEmpty)
    }

    @Test func whatOnlyTheCompilerFindsStandsInTheSourceToo() async throws {
        let source = """
            struct NotCodable: Sendable {}
            final class NotSendable: Codable { var x = 1 }
            enum NotRepresentable: Error {}
            @JSONRPCProxy
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
                @RPCNotifications("n") var pushes: NotificationStream<NotCodable> { get }
                func unknown(first: Missing) async throws
                @RPC(timeout: .fortnights(2)) func late() async throws
                @available(*, deprecated) func old(first: NotCodable) async throws
            }
            """
        let complaints = try await complaints(about: ["Bad.swift": source])
        #expect(Set(complaints.map(\.place)) == ["Bad.swift"])
        #expect(Set(complaints.map(\.line)) == [7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19])
    }

    @Test func aProxyOverAMereCallerIsToldWhatItNeeds() async throws {
        let source = """
            @JSONRPCProxy
            protocol Pushed {
                @RPCNotifications("n") var pushes: NotificationStream<Int> { get }
            }
            func proxy(over caller: any JSONRPCCaller) -> PushedProxy { PushedProxy(over: caller) }
            func proxy(over client: JSONRPCClient) -> PushedProxy { PushedProxy(over: client) }
            """
        let complaints = try await complaints(about: ["Pushed.swift": source])
        #expect(
            complaints == [
                Complaint(
                    place: "Pushed.swift", line: 5,
                    message: "'init(over:)' is unavailable: 'pushes' is what the peer pushes: PushedProxy is made over "
                        + "a JSONRPCEndpoint")
            ])
    }

    /// Names of ours in the user's own code, keywords, closures as names, isolation: nothing of it is in the way.
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
            @JSONRPCProxy
            protocol OnMain {
                func get(id: Int) async throws -> Int
            }

            enum Space {
                @JSONRPCProxy
                protocol Nested {
                    func get(caller: Int, jsonrpcCaller: Int, container: Int, encoder: String) async throws -> Int
                    func params(params: Int, implementation: Int, registrar: Int) async throws -> Int
                    func caller() async throws
                    func `init`(default: Int, class x: String, `self`: Int, `inout` y: Int) async throws
                    func type(of type: String) async throws -> String
                }
                static func proxy(over caller: any JSONRPCCaller) -> any Nested { NestedProxy(over: caller) }
            }

            @JSONRPCProxy(naming: .custom {
                // Loudly.
                $0 + "!"
            })
            protocol Odd {
                func maybe(_ m: Maybe, n: Maybe) async throws -> Maybe
                nonisolated func later(completion c: Int, done completion: @escaping @Sendable (Result<Int, any Error>) -> Void)
            }

            @MainActor final class Main: OnMain { func get(id: Int) async throws -> Int { id } }
            @MainActor func serve(by endpoint: any JSONRPCEndpoint) { endpoint.serve(OnMainService(Main())) }
            """
        let complaints = try await complaints(about: ["Names.swift": source], options: options)
        #expect(complaints.isEmpty)
    }

    private static let upcomingFeatures = [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
    ].flatMap { ["-enable-upcoming-feature", $0] }

    @Test func everyAccessLevelCompiles() async throws {
        let levels = ["public", "package", "internal", "fileprivate", "private", ""]
        let source = levels.enumerated().map { index, level in
            """
            @JSONRPCProxy
            \(level) protocol P\(index) {
                func call(first: Int, second: String?) async throws -> Int
                func later(completion: @escaping @Sendable (Result<Void, any Error>) -> Void)
            }
            """
        }
        let complaints = try await complaints(about: ["Levels.swift": source.joined(separator: "\n")])
        #expect(complaints.isEmpty)
    }
}
