// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

@testable import JSONAPI

/// The store of resources across documents.
@Suite(.inTurn)
struct ResourceStoreTests {
    private func document(_ text: String) throws -> RawDocument { try RawDocument(parsing: Array(text.utf8)) }

    private let article = """
        {"data":{"type":"articles","id":"1","attributes":{"title":"First","description":"long","isPublic":false},
          "relationships":{"editor":{"data":{"type":"people","id":"9"}},"authors":{"links":{"related":"/a/1/authors"}}},
          "links":{"self":"/articles/1"},"meta":{"rank":1}},
         "included":[{"type":"people","id":"9","attributes":{"name":"Dan","age":40},
           "relationships":{"favoriteArticle":{"data":{"type":"articles","id":"1"}}}}]}
        """

    @Test func aResourceOfOneDocumentIsThereForAnother() async throws {
        let store = ResourceStore()
        await store.insert(try document(article))
        let found = try #require(try await store.resource(Article.ID("1")))
        #expect(found.title == "First" && !found.isPublic && !found.isDirty)
        #expect(found.editor.value?.name == "Dan")
        // A cycle.
        #expect(found.editor.value?.favoriteArticle.value?.editor.value?.age == 40)
        let dan = try #require(try await store.resource(Person.ID("9")))
        #expect(dan.favoriteArticle.value?.title == "First")
        #expect(try await store.resource(Article.ID("2")) == nil)
        #expect(await store.count == 2)
        // Only the links of the relationship are known.
        #expect(found.authors.links.related?.href == "/a/1/authors")
    }

    @Test func aNewerDocumentReplacesWhatItHasAndKeepsTheRest() async throws {
        let store = ResourceStore()
        await store.insert(try document(article))
        await store.insert(
            try document(
                """
                {"data":[{"type":"articles","id":"1","attributes":{"title":"Second","description":null},
                  "relationships":{"authors":{"data":[{"type":"people","id":"9"}]}},"meta":{"rank":2}}]}
                """))
        let found = try #require(try await store.resource(Article.ID("1")))
        #expect(found.title == "Second" && found.descriptionText == nil && !found.isPublic)
        #expect(found.editor.value?.name == "Dan")
        #expect(found.authors.values.map(\.name) == ["Dan"])
        #expect(found.authors.links.related?.href == "/a/1/authors")
        #expect(found.links["self"]?.href == "/articles/1")
        let object = try #require(await store.resourceObject(type: "articles", id: "1"))
        #expect(object.attributes?["description"] == .null, "null is kept apart from absent")
        #expect(object.meta?["rank"]?.text == "2")
    }

    @Test func primaryDataWinOverACopyInIncluded() async throws {
        let store = ResourceStore()
        await store.insert(
            try document(
                """
                {"data":{"type":"people","id":"1","attributes":{"name":"new"}},
                 "included":[{"type":"people","id":"1","attributes":{"name":"old","age":3}}]}
                """))
        let person = try #require(try await store.resource(Person.ID("1")))
        #expect(person.name == "new" && person.age == 3)
    }

    @Test func identifiersAndLocalIDsAreNotKept() async throws {
        let store = ResourceStore()
        await store.insert(
            try document(
                """
                {"data":[{"type":"people","id":"1"},{"type":"people","lid":"a","attributes":{"name":"new"}},
                  {"type":"people","id":"2","lid":"b","attributes":{"name":"Dan"}}]}
                """))
        #expect(await store.count == 1)
        #expect(await store.resourceObject(type: "people", id: "2")?.lid == nil)
        await store.insert(try document(#"{"data":{"type":"people","id":"2"}}"#))
        #expect(try await store.resource(Person.ID("2"))?.name == "Dan")
    }

    /// The specification compares ids byte by byte.
    @Test func keysAreComparedByBytes() async throws {
        let store = ResourceStore()
        for (id, name) in [("\u{e9}", "composed"), ("e\u{301}", "decomposed")] {
            await store.insert(
                RawDocument(
                    data: .single(ResourceObject(type: "people", id: id, attributes: ["name": .string(name)]))))
        }
        #expect(await store.count == 2)
        #expect(try await store.resource(Person.ID("e\u{301}"))?.name == "decomposed")
    }

    @Test func requiredFieldsMayBeAbsent() async throws {
        let store = ResourceStore()
        await store.insert(try document(#"{"data":{"type":"books","id":"1","attributes":{"page-count":7}}}"#))
        #expect(try await store.resource(Book.ID("1"))?.pageCount == 7)
    }

    @Test func aFieldThatDoesNotFitIsAnErrorOfItsReading() async throws {
        let store = ResourceStore()
        await store.insert(try document(#"{"data":{"type":"people","id":"1","attributes":{"name":7}}}"#))
        await #expect(throws: ResourceError.self) { try await store.resource(Person.ID("1")) }
        await store.insert(try document(#"{"data":{"type":"people","id":"1","attributes":{"name":"Dan"}}}"#))
        #expect(try await store.resource(Person.ID("1"))?.name == "Dan")
    }

    @Test func removedResourcesAreGoneAndReferencesToThemHaveNoValue() async throws {
        let store = ResourceStore()
        await store.insert(try document(article))
        await store.remove(Person.ID("9"))
        let found = try #require(try await store.resource(Article.ID("1")))
        #expect(found.editor.value == nil && found.editor.id == "9")
        await store.removeAll()
        #expect(await store.count == 0)
    }

    // MARK: Memory

    private func person(_ number: Int) -> RawDocument {
        RawDocument(
            data: .single(
                ResourceObject(type: "people", id: "\(number)", attributes: ["name": .string("\(number)")])))
    }

    @Test func unusedResourcesAreDroppedBeyondTheLimit() async throws {
        let store = ResourceStore(limit: 100)
        for number in 0..<50 { await store.insert(person(number)) }
        for number in 50..<1000 {
            await store.insert(person(number))
            #expect(await store.count <= 100)
            #expect(try await store.resource(Person.ID("7"))?.name == "7", "it is used again and again")
        }
        #expect(try await store.resource(Person.ID("999")) != nil)
        #expect(try await store.resource(Person.ID("8")) == nil)
    }

    @Test func unusedResourcesAreDroppedBeyondTheByteLimit() async throws {
        let store = ResourceStore(byteLimit: 100_000)
        let long = JSONValue.string(String(repeating: "x", count: 1000))
        for number in 0..<1000 {
            let object = ResourceObject(type: "people", id: "\(number)", attributes: ["name": "Dan", "long": long])
            await store.insert(RawDocument(data: .single(object)))
            #expect(await store.count < 100)
            #expect(try await store.resource(Person.ID("0"))?.name == "Dan", "it is used again and again")
        }
        #expect(await store.count > 40)
        #expect(try await store.resource(Person.ID("999")) != nil)
        #expect(try await store.resource(Person.ID("1")) == nil)
        await store.removeAll()
        for number in 0..<40 { await store.insert(person(number)) }
        #expect(await store.count == 40, "nothing is counted that was removed")
    }

    /// A server sends other members of one resource with each document.
    @Test(arguments: [false, true]) func oneResourceDoesNotGrowWithoutEnd(_ isObserved: Bool) async throws {
        let store = ResourceStore(byteLimit: 160_000)
        await store.insert(person(1))
        let changes = isObserved ? await store.changes(of: Person.ID("0")) : nil
        let long = JSONValue.string(String(repeating: "x", count: 500))
        for number in 0..<200 {
            var object = ResourceObject(type: "people", id: "0", attributes: ["a\(number)": long])
            object.relationships = ["r\(number)": RelationshipObject(meta: ["long": long])]
            object.additionalMembers = ["x:m\(number)": RawJSON(long)]
            await store.insert(RawDocument(data: .single(object)))
            let stored = try #require(await store.resourceObject(type: "people", id: "0"))
            #expect(stored.rawJSON.bytes.count <= 20_000)
            #expect(stored.attributes?["a\(number)"] != nil && stored.relationships?["r\(number)"] != nil)
            #expect(number == 0 || number > 5 || stored.attributes?["a\(number - 1)"] != nil)
        }
        #expect(await store.count == 2, "the others are kept")
        _ = changes
    }

    @Test func manyCopiesOfOneResourceAreOne() async throws {
        let copy = #"{"type":"people","id":"1","attributes":{"name":"Dan"}}"#
        let copies = Array(repeating: copy, count: 20_000).joined(separator: ",")
        let store = ResourceStore()
        // The first copy is long. Merging it with each of the others would take hours.
        let long = String(repeating: "x", count: 1 << 20)
        let first = #"{"type":"people","id":"1","attributes":{"long":"\#(long)","name":"old"}}"#
        await store.insert(try document(#"{"data":[],"included":[\#(first),\#(copies)]}"#))
        #expect(await store.count == 1)
        #expect(try await store.resource(Person.ID("1"))?.name == "Dan")
        #expect(
            await store.resourceObject(type: "people", id: "1")?.attributes?["long"]?.bytes.count == long.utf8.count + 2
        )
    }

    /// A resource must not retain the text of its whole document.
    @Test func aResourceHasBytesOfItsOwn() async throws {
        let store = ResourceStore()
        let long = String(repeating: "x", count: 100_000)
        await store.insert(
            try document(
                """
                {"data":[{"type":"people","id":"1","attributes":{"name":"Dan"}},
                         {"type":"people","id":"2","attributes":{"name":"\(long)"}}]}
                """))
        let object = try #require(await store.resourceObject(type: "people", id: "1"))
        let bytes = try #require(object.attributes?.json.bytes)
        #expect(bytes.startIndex < 1000 && bytes.count < 100)
        bytes.withUnsafeBytes { #expect($0.count < 100) }
    }

    // MARK: Changes

    @Test func changesBeginWithTheCurrentValueAndGoOn() async throws {
        let store = ResourceStore()
        await store.insert(try document(article))
        var changes = await store.changes(of: Article.ID("1")).makeAsyncIterator()
        #expect(try await changes.next()??.title == "First")
        await store.insert(try document(#"{"data":{"type":"people","id":"9","attributes":{"age":41}}}"#))
        await store.insert(try document(#"{"data":{"type":"articles","id":"1","attributes":{"title":"Second"}}}"#))
        let second = try #require(try await changes.next())
        #expect(second?.title == "Second" && second?.editor.value?.age == 41)
        await store.remove(Article.ID("1"))
        let removed = try #require(try await changes.next())
        #expect(removed == nil)
        await store.insert(try document(article))
        #expect(try await changes.next()??.title == "First")
    }

    @Test func aSlowConsumerGetsTheLatestValue() async throws {
        let store = ResourceStore()
        var changes = await store.changes(of: Person.ID("1")).makeAsyncIterator()
        for age in 1...100 {
            await store.insert(
                try document(#"{"data":{"type":"people","id":"1","attributes":{"age":\#(age)}}}"#))
        }
        #expect(try await changes.next()??.age == 100)
    }

    @Test func observedResourcesAreKeptBeyondTheLimit() async throws {
        let store = ResourceStore(limit: 10)
        await store.insert(person(0))
        let changes = await store.changes(of: Person.ID("0"))
        for number in 1..<100 { await store.insert(person(number)) }
        #expect(await store.count <= 10)
        var iterator = changes.makeAsyncIterator()
        #expect(try await iterator.next()??.name == "0")
        #expect(await store.resourceObject(type: "people", id: "0") != nil)
    }

    @Test func leavingTheLoopEndsTheObservation() async throws {
        let store = ResourceStore()
        await store.insert(person(1))
        for try await person in await store.changes(of: Person.ID("1")) {
            #expect(person?.name == "1")
            break
        }
        try await yieldUntil("nobody observes the store") { await store.observerCount == 0 }
    }

    @Test func cancellingTheLoopEndsTheObservation() async throws {
        let store = ResourceStore()
        let task = Task {
            for try await _ in await store.changes(of: Person.ID("1")) {}
        }
        try await yieldUntil("the task observes the store") { await store.observerCount > 0 }
        task.cancel()
        try await task.value
        try await yieldUntil("nobody observes the store") { await store.observerCount == 0 }
    }

    @Test func changesEndWithTheStore() async throws {
        var store: ResourceStore? = ResourceStore()
        weak let observed = store
        var changes = try #require(await store?.changes(of: Person.ID("1"))).makeAsyncIterator()
        let first = try #require(try await changes.next())
        #expect(first == nil)
        store = nil
        #expect(observed == nil)
        let end = try await changes.next()
        #expect(end == nil)
    }

    @Test func manyTasksInsertAndRead() async throws {
        let store = ResourceStore(limit: 50)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        await store.insert(person((number * task) % 97))
                        if let person = try await store.resource(Person.ID("\(number % 97)")) {
                            #expect(person.name == "\(number % 97)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await store.count <= 50)
    }
}
