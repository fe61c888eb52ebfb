// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Atomic transactions", .inTurn)
struct AtomicTransactionTests {
    private static let type = #"application/vnd.api+json;ext="https://jsonapi.org/ext/atomic""#
    private let api: MockAPI

    init() throws { api = try MockAPI() }

    @Test func resourcesReferToEachOtherByLocalIDs() async throws {
        api.transport.expect(
            reply: MockHTTPReply { request in
                let body = try JSONValue(parsing: request.body ?? [])
                let first = body["atomic:operations"]?[0]?["data"]
                let lid = try #require(first?["lid"])
                let second = body["atomic:operations"]?[1]?["data"]
                #expect(second?["relationships"]?["editor"]?["data"]?["lid"] == lid)
                let other = try #require(second?["lid"])
                let results: JSONValue = [
                    "atomic:results": [
                        ["data": ["type": "people", "id": "1", "lid": lid, "attributes": ["name": "DAN"]]],
                        ["data": ["type": "articles", "id": "2", "lid": other]], [:],
                    ]
                ]
                let head = HTTPResponse(status: .ok, headerFields: [.contentType: Self.type])
                return ReceivedHTTPResponse(head, body: HTTPByteStream(Array(try RawJSON(encoding: results).bytes)))
            })
        let client = api.client
        var made: (dan: AtomicReference<Person>, article: AtomicReference<Article>)?
        let results = try await client.atomic(path: "/operations") { transaction in
            let dan = try transaction.add(Person(name: "Dan"))
            var article = Article()
            article.editor.identifier = dan.identifier
            made = (dan, try transaction.add(article))
            transaction.remove(Article.ID("13"))
        }
        let references = try #require(made)
        let dan = try results.resource(references.dan)
        let article = try results.resource(references.article)
        #expect(dan.id == "1")
        #expect(dan.name == "DAN")
        #expect(article.id == "2")
        #expect(article.editor.id == "1")
        #expect(!dan.isDirty && !article.isDirty && !article.isNew)
        #expect(results.ids.count == 2)
        #expect(api.calls == ["POST /v1/operations"])
    }

    @Test func sample() async throws {
        api.answer(status: 204)
        let client = api.client
        let results = try await client.atomic(path: "/operations") { transaction in
            let dan = try transaction.add(Person(name: "Dan"))
            var article = Article()
            article.editor.identifier = dan.identifier
            try transaction.add(article)
            transaction.remove(Article.ID("13"))
        }
        #expect(results.all.count == 3)
        #expect(results.ids.isEmpty)
    }

    @Test func relationshipsAndUpdatesAreOperations() async throws {
        api.answer(status: 204)
        var article = try Article(resourceObject: ResourceObject(type: "articles", id: "1", attributes: ["title": "A"]))
        article.title = "B"
        let (changed, owner) = (article, ResourceIdentifier<Article>(id: "1"))
        var reference: AtomicReference<Article>?
        let results = try await api.client.atomic(path: "/operations") { transaction in
            reference = try transaction.update(changed)
            try transaction.change(.add, [ResourceIdentifier<Person>(id: "5")], in: \.authors, of: owner)
            try transaction.change(.update, [], in: \.authors, of: owner)
            try transaction.set(nil, in: \.editor, of: owner)
        }
        let updated = try results.resource(try #require(reference))
        #expect(!updated.isDirty)
        #expect(
            api.bodies == [
                #"{"atomic:operations":[{"op":"update","data":{"type":"articles","id":"1","attributes":{"title":"B"}}},"#
                    + #"{"op":"add","ref":{"type":"articles","id":"1","relationship":"authors"},"data":[{"type":"people","id":"5"}]},"#
                    + #"{"op":"update","ref":{"type":"articles","id":"1","relationship":"authors"},"data":[]},"#
                    + #"{"op":"update","ref":{"type":"articles","id":"1","relationship":"editor"},"data":null}]}"#
            ])
    }

    @Test func failuresNameTheOperationAndTheField() async throws {
        api.answer(
            #"{"errors":[{"status":"422","source":{"pointer":"/atomic:operations/1/data/attributes/title"}}]}"#,
            status: 422)
        let client = api.client
        let error = try await failure { () async throws(JSONAPIError) in
            try await client.atomic(path: "/operations") { transaction in
                try transaction.add(Person(name: "Dan"))
                try transaction.add(Article())
            }
        }
        let first = try #require(error.errors.first)
        #expect(error.operationIndex(of: first) == 1)
        #expect(first.field(of: Article.self) == \Article.title)
        #expect(first.field(of: Person.self) == nil)
    }

    @Test func resultsOfOtherTypesAreErrors() async throws {
        api.answer(#"{"atomic:results":[{"data":{"type":"people","id":"1"}}]}"#, fields: [.contentType: Self.type])
        var reference: AtomicReference<Article>?
        let results = try await api.client.atomic(path: "/operations") { reference = try $0.add(Article()) }
        let made = try #require(reference)
        let error = try await failure { () async throws(JSONAPIError) in try results.resource(made) }
        #expect(error.code == .resource)
    }

    @Test func withoutOperationsNothingIsSent() async throws {
        let results = try await api.client.atomic(path: "/operations") { _ in }
        #expect(results.all.isEmpty)
        #expect(api.calls.isEmpty)
    }
}
