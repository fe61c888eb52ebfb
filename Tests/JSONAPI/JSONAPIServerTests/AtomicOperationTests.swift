// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import TestSupport
import TestTurns
import Testing

/// Atomic operations of a FastAPI-JSONAPI server.
@Suite(.inTurn(within: .seconds(120)))
struct AtomicOperationTests {
    struct Person: Resource {
        var state = ResourceState<Person>()
        var name: String?
        var age: Int?

        static let schema = JSONAPISchema<Person>("people", .attribute("name", \.name), .attribute("age", \.age))
    }

    struct Article: Resource {
        var state = ResourceState<Article>()
        var title: String?
        var author = ToOne<Person>()

        static let schema = JSONAPISchema<Article>(
            "articles", .attribute("title", \.title), .relationship("author", \.author))
    }

    private func named(_ name: String) -> Person {
        var person = Person()
        person.name = name
        return person
    }

    @Test func aLocalIDRefersToANewResource() async throws {
        try await OperationsServer.withClient { client in
            var (dan, one): (AtomicReference<Person>?, AtomicReference<Article>?) = (nil, nil)
            let results = try await client.atomic(path: "operations") { transaction in
                let reference = try transaction.add(named("Dan"))
                var article = Article()
                article.title = "One"
                article.author = ToOne(.to(reference.identifier))
                dan = reference
                one = try transaction.add(article)
            }
            let person = try results.resource(try #require(dan))
            let article = try results.resource(try #require(one))
            #expect(person.id == "1" && !person.isDirty)
            #expect(article.author.id == "1", "the id of the server takes the place of the local id")

            let read = try await DataSource<Article>(client: client, strategy: OperationsServer.strategy)
                .search().include { [$0.author] }.result()
            #expect(read.resources.map(\.author.name) == ["Dan"])
        }
    }

    @Test func resourcesAreUpdatedAndRemoved() async throws {
        try await OperationsServer.withClient { client in
            let people = DataSource<Person>(client: client, strategy: OperationsServer.strategy)
            var dan = try #require(try await people.create(named("Dan")).result().resource)
            let tom = try #require(try await people.create(named("Tom")).result().resource)
            dan.age = 40
            var updated: AtomicReference<Person>?
            let results = try await client.atomic(path: "operations") { transaction in
                // This server requires all attributes of a new resource.
                updated = try transaction.update(dan, sending: .all)
                transaction.remove(try #require(tom.id))
            }
            #expect(try results.resource(try #require(updated)).age == 40)
            let all = try await people.search().result().resources
            #expect(all.map(\.name) == ["Dan"])
            #expect(all.map(\.age) == [40])
        }
    }

    @Test func aFailureUndoesAllOperations() async throws {
        try await OperationsServer.withClient { client in
            let error = await #expect(throws: JSONAPIError.self) {
                try await client.atomic(path: "operations") { transaction in
                    try transaction.add(named("Undone"))
                    transaction.remove(Person.ID("99"))
                }
            }
            #expect(error?.code == .notFound)
            let people = DataSource<Person>(client: client, strategy: OperationsServer.strategy)
            let remaining = try await people.search().result().resources
            #expect(remaining.isEmpty)
        }
    }

    @Test func theMediaTypeOfThisServerIsRefusedByDefault() async throws {
        try await OperationsServer.withClient(options: JSONAPIClient.Options()) { client in
            let error = await #expect(throws: JSONAPIError.self) {
                try await client.atomic(path: "operations") { transaction in try transaction.add(named("Dan")) }
            }
            #expect(error?.code == .mediaType)
            #expect(error?.status?.code == 200)
        }
    }
}
