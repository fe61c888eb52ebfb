// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import TestTurns
import Testing

@Suite("Hostile responses", .inTurn)
struct HostileResponseTests {
    private static let atomic = #"application/vnd.api+json;ext="https://jsonapi.org/ext/atomic""#
    private static let documents = [
        #"{"data":[{"type":"articles","id":"1","attributes":{"title":"A"},"links":{"self":"/a/1"}}],"links":{"next":"?p=2"}}"#,
        #"{"data":{"type":"articles","id":"1","relationships":{"editor":{"data":{"type":"people","id":"9"},"links":{"self":"/e"}}}}}"#,
        #"{"errors":[{"status":"422","source":{"pointer":"/atomic:operations/1/data/attributes/title"},"links":{"type":"x"}}]}"#,
        #"{"atomic:results":[{"data":{"type":"articles","id":"1","lid":"x"}},{}]}"#,
        #"{"data":[{"type":"people","id":"9","meta":{"page":{"cursor":"c"}}}]}"#,
    ]

    /// Changes, removes and repeats some bytes.
    private func damage(_ text: String, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
            let position = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: position)
            case 2: bytes.insert(contentsOf: #"{}[],:"0\n"#.utf8.shuffled(using: &random).prefix(2), at: position)
            default: bytes.removeSubrange(position...)
            }
        }
        return bytes
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func randomDamageIsReadOrRefusedAndNeverTraps(_ seed: UInt64) async throws {
        var random = SeededGenerator(state: seed)
        let api = try MockAPI()
        let articles = DataSource<Article>(client: api.client)
        var failures = 0
        for round in 0..<300 {
            let body = damage(Self.documents[round % Self.documents.count], &random)
            let status = [200, 200, 200, 201, 202, 204, 303, 422, 500][Int.random(in: 0..<9, using: &random)]
            let type = [JSONAPIMediaType.name, JSONAPIMediaType.name, Self.atomic, "text/html", ";;", ""][
                Int.random(in: 0..<6, using: &random)]
            let fields: HTTPFields = [
                .contentType: type, .location: "::", .contentLocation: "//", .retryAfter: "-1",
            ]
            // The second answer is for a page or a redirect.
            api.transport.when(.any, reply: .status(status, fields: fields, body: body))
            do {
                switch round % 6 {
                case 0: for try await _ in articles.search().resources(pageLimit: 3) {}
                case 1: _ = try await articles.read(id: "1").result()
                case 2:
                    let response = try await api.client.send(JSONAPIRequest(path: "a", method: .post))
                    var polling = JobPolling()
                    polling.clock = ImmediateHTTPClock()
                    polling.limit = 2
                    _ = try await api.client.finish(response, polling: polling)
                case 3:
                    _ = try await api.client.atomic(path: "o") {
                        try $0.add(Article())
                        try $0.add(Article())
                    }
                case 4: _ = try await articles.relationship(\.authors, of: "1").add("1")
                default:
                    var article = Article()
                    article.id = "1"
                    article.title = "A"
                    _ = try await articles.update(article).result()
                }
            } catch {
                failures += 1
                _ = error.description
                for object in error.errors {
                    _ = (object.field(of: Article.self), error.operationPlace(of: object))
                    _ = CursorPagination.refusal(object)
                }
            }
        }
        #expect(failures > 100)
    }
}
