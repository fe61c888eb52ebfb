// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Atomic operations", .inTurn)
struct AtomicOperationTests {
    private static let type = #"application/vnd.api+json;ext="https://jsonapi.org/ext/atomic""#

    private let operations: [AtomicOperation] = [
        AtomicOperation(.add, target: .href("/articles"), data: .single(ResourceObject(type: "articles", lid: "x"))),
        AtomicOperation(
            .update, target: .reference(.init(type: "articles", lid: "x", relationship: "author")), data: .single(nil)),
        AtomicOperation(
            .remove, target: .reference(.init(type: "articles", id: "1", relationship: "tags")), data: .collection([]),
            meta: ["why": "old"]),
        AtomicOperation(.remove, target: .reference(.init(type: "articles", id: "13"))),
    ]

    @Test func operationsAreWrittenInTheirOrder() async throws {
        let api = try MockAPI()
        api.answer(status: 204)
        let results = try await api.client.perform(operations, path: "/operations")
        #expect(results == Array(repeating: AtomicResult(), count: 4))
        let sent = try #require(api.transport.requests.first)
        #expect(sent.head.method == .post)
        #expect(sent.head.headerFields[.contentType] == Self.type)
        #expect(sent.head.headerFields[.accept] == Self.type)
        #expect(
            sent.text
                == #"{"atomic:operations":[{"op":"add","href":"/articles","data":{"type":"articles","lid":"x"}},"#
                + #"{"op":"update","ref":{"type":"articles","lid":"x","relationship":"author"},"data":null},"#
                + #"{"op":"remove","ref":{"type":"articles","id":"1","relationship":"tags"},"data":[],"meta":{"why":"old"}},"#
                + #"{"op":"remove","ref":{"type":"articles","id":"13"}}]}"#)
        let document = try RawDocument(parsing: sent.body ?? [])
        var linter = DocumentLinter()
        linter.extensionNamespaces = ["atomic"]
        #expect(try linter.findings(in: document).isEmpty)
    }

    @Test func resultsAreReadByPosition() async throws {
        let api = try MockAPI()
        api.answer(
            #"{"atomic:results":[{"data":{"type":"articles","id":"7","lid":"x"}},{},{"meta":{"a":1}},{"data":null}]}"#,
            fields: [.contentType: Self.type])
        let results = try await api.client.perform(operations, path: "/operations")
        #expect(results.map { $0.data?.resources.first?.id } == ["7", nil, nil, nil])
        #expect(results[2].meta == ["a": 1])
    }

    @Test(arguments: [
        #"{"atomic:results":[{}]}"#, #"{"atomic:results":{}}"#, #"{"atomic:results":[1,{},{},{}]}"#,
        #"{"atomic:results":[{"data":5},{},{},{}]}"#,
    ])
    func resultsThatDoNotFitAreRefused(_ body: String) async throws {
        let api = try MockAPI()
        api.answer(body, fields: [.contentType: Self.type])
        let (client, operations) = (api.client, operations)
        let error = try await failure { () async throws(JSONAPIError) in
            try await client.perform(operations, path: "/operations")
        }
        #expect(error.code == .document)
        #expect(error.status == .ok)
    }

    @Test func withoutOperationsNothingIsSent() async throws {
        let api = try MockAPI()
        #expect(try await api.client.perform([], path: "/operations").isEmpty)
        #expect(api.calls.isEmpty)
    }

    @Test func errorsNameTheOperation() async throws {
        let api = try MockAPI()
        api.answer(
            #"""
            {"errors":[{"source":{"pointer":"/atomic:operations/2/data/attributes/a~1b~0"}},{"source":{"pointer":"/data"}},
            {"source":{"pointer":"/atomic:operations/99999999999999999999/data"}},{"source":{"pointer":"/a~2"}},
            {"source":{"pointer":"x"}},{"source":{"pointer":"/atomic:operations/-1"}},{}]}
            """#, status: 422)
        let (client, operations) = (api.client, operations)
        let error = try await failure { () async throws(JSONAPIError) in
            try await client.perform(operations, path: "/operations")
        }
        #expect(error.errors.map(error.operationIndex) == [2, nil, nil, nil, nil, nil, nil])
        let place = try #require(error.operationPlace(of: error.errors[0]))
        #expect(place.pointer == JSONPointer(["data", "attributes", "a/b~"]))
    }
}
