// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import MacroTestSupport
import TestSupport
import TestTurns
import Testing

/// Runs the compiler with the plugin that was built for the tests.
@Suite(.inTurn(within: .seconds(60)))
struct CompilerTests {
    /// swift-syntax reports this in tests, but the compiler does not.
    private let onlyInTests = "peer macro can only be applied"

    /// Errors are at lines of the program, never in an expansion.
    @Test func errorsAreShownInTheSource() async throws {
        var files: [String: String] = [:]
        var expected: Set<CompilerComplaint> = []
        for (number, text) in try GoldenText.all(in: "Diagnostics").enumerated() {
            let name = "\(text.testDescription).swift"
            // The sources declare types of the same names.
            let source = "enum Space\(number) {\n\(text.source)\n}"
            files[name] = source
            for (line, message) in Expansion(of: source).messages where !message.hasPrefix(onlyInTests) {
                expected.insert(CompilerComplaint(place: name, line: line, message: message))
            }
        }
        let complaints = try await errors(about: files)
        #expect(expected.count >= files.count)
        #expect(expected.subtracting(complaints) == [])
        #expect(complaints.filter { files[$0.place] == nil } == [])
    }

    private static let upcomingFeatures = [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
    ].flatMap { ["-enable-upcoming-feature", $0] }

    @Test(arguments: [[], ["-default-isolation", "MainActor"], ["-strict-memory-safety"], upcomingFeatures])
    func typesCompileWith(options: [String]) async throws {
        // In a module with a default isolation, types and their conformances have it, unless they state another one.
        let isolated = try await errors(
            about: ["Types.swift": source.replacing("nonisolated ", with: "")], options: options)
        #expect(isolated == [])
        #expect(try await errors(about: ["Types.swift": source], options: options) == [])
    }

    private let source = """
        @JSONCodable nonisolated struct Item { var id: Int; var note: String?; var count = 1 }
        @JSONCodable(keys: .snakeCase) nonisolated struct Page<Element: Codable> { var allItems: [Element]; var total = 0 }
        @JSONCodable nonisolated enum Color: String { case red, green }
        @JSONCodable nonisolated enum Shape { case none; case circle(radius: Double); indirect case group([Shape]) }
        nonisolated struct Outer<T> { @JSONCodable nonisolated struct Inner { var id: Int } }
        nonisolated enum Space { @JSONCodable struct Inner { var id: Int; var values: [Int] = [] } }
        nonisolated extension Space { @JSONCodable struct Added { var id: Int } }
        nonisolated func page(_ bytes: [UInt8]) throws -> Page<Item> {
            try WireJSONDecoder().decode(Page<Item>.self, from: bytes)
        }
        nonisolated func text(_ shape: Shape) throws -> [UInt8] { try WireJSONEncoder().encode(shape) }
        nonisolated func isReadable(_ type: (some JSONReadable).Type) {}
        nonisolated func check() {
            isReadable(Page<Item>.self)
            isReadable(Color.self)
            isReadable(Outer<Int>.Inner.self)
            isReadable(Space.Inner.self)
            isReadable(Space.Added.self)
        }
        """

    /// Types with unusual names, contexts and declarations.
    @Test(arguments: [[], ["-default-isolation", "MainActor"], ["-strict-memory-safety"], ["-swift-version", "5"]])
    func oddTypesCompileWith(options: [String]) async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../OddTypes.swift")
        let source = try String(contentsOf: file, encoding: .utf8).replacing("public import WireJSONMacros", with: "")
        #expect(try await errors(about: ["OddTypes.swift": source], options: options) == [])
    }

    /// WireJSON would not use the code of another extension.
    @Test func codingInOtherExtensionsIsRefused() async throws {
        let source = """
            @JSONCodable struct A { var a: Int }
            extension A { init(from decoder: any Decoder) throws { a = 1 } }
            @JSONCodable enum B: String { case b }
            extension B { func encode(to encoder: any Encoder) throws {} }
            @JSONCodable struct C { var a: Int }
            extension C { enum CodingKeys: String, CodingKey { case a = "A" } }
            @JSONCodable enum D { case a }
            extension D: Decodable { init(from decoder: any Decoder) throws { self = .a } }
            """
        let complaints = try await errors(about: ["Other.swift": source])
        let messages = complaints.filter { $0.place == "Other.swift" }.map { "\($0.line): \($0.message)" }
        for (line, name) in [(2, "init(from:)"), (4, "encode(to:)"), (8, "init(from:)")] {
            #expect(messages.contains("\(line): invalid redeclaration of '\(name)'"), "\(messages)")
        }
        #expect(messages.contains { $0.contains("invalid redeclaration of 'CodingKeys'") }, "\(messages)")
    }

    @Test func everyAccessLevelCompiles() async throws {
        let levels = ["public", "package", "internal", "fileprivate", "private", ""]
        let source = levels.enumerated().map { index, level in
            """
            @JSONCodable(keys: .snakeCase) \(level) struct S\(index) { \(level) var aName: String; private var b = 1 }
            @JSONCodable \(level) enum E\(index): Int { case a, b }
            @JSONCodable \(level) enum P\(index) { case a(Int), b }
            """
        }
        #expect(try await errors(about: ["Levels.swift": source.joined(separator: "\n")]) == [])
    }

    private func errors(about files: [String: String], options: [String] = []) async throws -> Set<CompilerComplaint> {
        try await macroErrors(about: files, importing: "WireJSONMacros", options: options)
    }
}
