// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing

/// A type with properties that its schema leaves out.
private struct Draft: Resource {
    var state = ResourceState<Draft>()
    var title: String?
    var note: String?
    var author = ToOne<Person>()
    var readers = ToMany<Person>()

    static let schema = JSONAPISchema<Draft>("drafts", .attribute("title", \.title))
}

/// Each function that takes a key path, with a property that is not a field.
@Suite("Properties that are no fields", .inTurn)
struct FieldPathTests {
    private let api: MockAPI
    private let drafts: DataSource<Draft>

    init() throws {
        api = try MockAPI()
        drafts = DataSource(client: api.client)
    }

    private func expectRefusal<Value>(
        naming property: String, _ operation: () async throws(JSONAPIError) -> Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = try await failure(of: operation, sourceLocation: sourceLocation)
        #expect(error.code == .request, sourceLocation: sourceLocation)
        #expect(error.description.contains("Draft.\(property)"), "\(error)", sourceLocation: sourceLocation)
        #expect(api.calls.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func queriesAreRefused() async throws {
        try await expectRefusal(naming: "author") { () async throws(JSONAPIError) in
            try await drafts.search().include { [$0.author] }.result()
        }
        try await expectRefusal(naming: "readers") { () async throws(JSONAPIError) in
            try await drafts.read(id: "1").include { [$0.readers] }.result()
        }
        try await expectRefusal(naming: "note") { () async throws(JSONAPIError) in
            try await drafts.search().fields(Draft.self, \.title, \.note).result()
        }
    }

    @Test func endpointsAndRelatedResourcesAreRefused() async throws {
        var draft = Draft()
        draft.id = "1"
        try await expectRefusal(naming: "author") { () async throws(JSONAPIError) in
            try await drafts.relationship(\.author, of: "1").read()
        }
        try await expectRefusal(naming: "readers") { [draft] () async throws(JSONAPIError) in
            try await drafts.relationship(\.readers, of: draft).add("5")
        }
        try await expectRefusal(naming: "author") { [draft] () async throws(JSONAPIError) in
            try await drafts.related(\.author, of: draft).result()
        }
        try await expectRefusal(naming: "readers") { () async throws(JSONAPIError) in
            try await drafts.related(\.readers, of: "1").result()
        }
    }

    @Test func atomicOperationsAreRefusedAtOnce() throws {
        var transaction = AtomicTransaction()
        let owner = ResourceIdentifier<Draft>(id: "1")
        let set = try #require(resourceError { try transaction.set(nil, in: \.author, of: owner) })
        let change = try #require(resourceError { try transaction.change(.add, [], in: \.readers, of: owner) })
        #expect(set.type == "drafts" && change.type == "drafts")
        #expect(set.reason == .unknownField(property: "\(\Draft.author)"))
        #expect(change.description.contains("Draft.readers"))
        #expect(transaction.operations.isEmpty)
    }

    @Test func touchRefuses() throws {
        var draft = Draft()
        let error = try #require(resourceError { try draft.touch(\.note) })
        #expect(error.type == "drafts" && error.description.contains("Draft.note"))
        #expect(!draft.isDirty)
        try draft.touch(\.title)
        #expect(draft.isDirty)
    }

    @Test func questionsHaveAnAnswerWithoutAField() {
        let draft = Draft()
        #expect(!draft.isPresent(\.note) && draft.changes[\.note] == nil)
        #expect(Draft.schema.name(of: \.note) == nil)
    }
}
