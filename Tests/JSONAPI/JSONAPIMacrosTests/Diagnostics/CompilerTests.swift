// swift-jsonrpc · SPDX-License-Identifier: MIT

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
        var files = ["Support.swift": "let articles = \"articles\""]
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
        #expect(expected.count >= files.count - 1)
        #expect(expected.subtracting(complaints) == [])
        #expect(complaints.filter { files[$0.place] == nil } == [])
    }

    /// The compiler may report errors in the expansion, too, but always one at the property.
    @Test(arguments: [
        "@Attribute var wrong: NotCodable?",
        "@Attribute var wrong: NotEquatable?",
        "@Attribute var wrong: Missing?",
        "@Attribute(via: NotATransform.self) var wrong: Date?",
        "@Attribute(via: ISO8601.self) var wrong: Int?",
        "@Relationship var wrong: ToOne<NotCodable>",
    ])
    func wrongTypesAreShownAtTheProperty(property: String) async throws {
        let source = """
            import Foundation
            struct NotCodable: Equatable {}
            struct NotEquatable: Codable {}
            struct NotATransform {}
            @Resource("posts")
            struct Post {
                @Attribute var title: String?
                \(property)
                @Relationship var post: ToMany<Post>
            }
            """
        let complaints = try await errors(about: ["Post.swift": source])
        #expect(Set(complaints.filter { $0.place == "Post.swift" }.map(\.line)) == [8])
    }

    /// A macro cannot check schemas without macros, so the compiler's error says what to write.
    @Test(arguments: ["[String: Any]?", "[String: Any]", "Any?", "[Any]", "NotEquatable?"])
    func unsuitableAttributesNameTheTypesOfJSON(type: String) async throws {
        let source = """
            struct NotEquatable: Codable, Sendable {}
            struct Post: Resource {
                var state = ResourceState<Post>()
                var wrong: \(type)
                init() { fatalError() }
                static let schema = JSONAPISchema<Post>("posts", .attribute("wrong", \\.wrong))
            }
            """
        let messages = try await errors(about: ["Post.swift": source]).filter { $0.line == 6 }.map(\.message)
        #expect(messages.count == 1)
        #expect(messages.first?.contains("use 'JSONObject' of WireJSON in place of '[String: Any]'") == true)
    }

    private static let upcomingFeatures = [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
    ].flatMap { ["-enable-upcoming-feature", $0] }

    @Test(arguments: [[], ["-default-isolation", "MainActor"], upcomingFeatures])
    func resourcesCompileWith(options: [String]) async throws {
        let source = """
            @Resource("people") struct Person { @Attribute var name: String?; @Relationship var boss: ToOne<Person> }
            @NestedAttribute struct Tag { @Attribute("tagName") var name: String? }
            @ResourceUnion enum Owner { case person(Person); case unknown(ResourceObject) }
            @Resource("posts") struct Post {
                @Attribute var tag: Tag?
                @Relationship var owner: ToOne<Owner>
                var isSelected = false
            }
            nonisolated func name(_ person: Person, _ tag: Tag) -> String? { person.name ?? tag.name }
            nonisolated func names() -> [String] { Post.schema.fields.map(\\.name) }
            @concurrent func post(_ document: JSONAPIDocument) async throws -> Post? { try document.resource(as: Post.self) }
            @MainActor func isDirty() -> Bool { Post(tag: Tag(name: "a")).isDirty }
            """
        #expect(try await errors(about: ["Post.swift": source], options: options) == [])
    }

    @Test func everyAccessLevelCompiles() async throws {
        let levels = ["public", "package", "internal", "fileprivate", "private", ""]
        let source = levels.enumerated().map { index, level in
            """
            @Resource("r\(index)") \(level) struct R\(index) { @Attribute var name: String? }
            @NestedAttribute \(level) struct N\(index) { @Attribute var name: String? }
            @ResourceUnion \(level) enum U\(index) { case resource(R\(index)); case unknown(ResourceObject) }
            """
        }
        #expect(try await errors(about: ["Levels.swift": source.joined(separator: "\n")]) == [])
    }

    private func errors(about files: [String: String], options: [String] = []) async throws -> Set<CompilerComplaint> {
        try await macroErrors(about: files, importing: "JSONAPIMacros", options: options)
    }
}
