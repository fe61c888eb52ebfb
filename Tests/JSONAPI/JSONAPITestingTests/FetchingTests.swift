// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import JSONAPITesting
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn)
struct FetchingTests {
    @Test func aResourceHasLinks() async throws {
        let reply = try await MockJSONAPIServer.blog { $0.basePath = "/api" }.exchange(.get, "/api/articles/1")
        #expect(reply.status == 200)
        let article = try #require(reply.document?.data?.resources.first)
        #expect(article.links?["self"]?.href == "https://example.com/api/articles/1")
        let author = article.relationships?["author"]
        #expect(author?.links?["self"]?.href == "https://example.com/api/articles/1/relationships/author")
        #expect(author?.links?.related?.href == "https://example.com/api/articles/1/author")
        #expect(reply.document?.links?["self"]?.href == "https://example.com/api/articles/1")
    }

    @Test(arguments: [
        "/articles/9", "/nothing/1", "/articles/1/nothing", "/articles/1/relationships/nothing", "/", "/a/b/c/d/e",
    ])
    func unknownPathsAnswer404(_ path: String) async throws {
        let server = MockJSONAPIServer.blog { $0.types = ["articles", "people", "comments"] }
        let reply = try await server.exchange(.get, path)
        #expect(reply.status == 404)
        #expect(reply.document?.errors?.first?.status == "404")
    }

    @Test func includedResourcesOccurOnce() async throws {
        let server = MockJSONAPIServer.blog()
        let reply = try await server.exchange(.get, "/articles?include=author,comments.author")
        #expect(reply.included == ["people/1", "people/2", "comments/1", "comments/2"])
        let cycle = try await server.exchange(.get, "/comments?include=author")
        #expect(cycle.included == ["people/2", "people/1"])
        let nothing = try await server.exchange(.get, "/articles/1?include=")
        #expect(nothing.included == [])
        let absent = try await server.exchange(.get, "/articles/1")
        #expect(absent.included == nil)
    }

    @Test(arguments: ["nothing", "author.nothing", "comments.author.nothing", "title"])
    func anUnknownPathIsRefused(_ path: String) async throws {
        let reply = try await MockJSONAPIServer.blog().exchange(.get, "/articles/2?include=\(path)")
        #expect(reply.status == 400)
        #expect(reply.source?.parameter == "include")
    }

    @Test func sparseFieldsetsLeaveOutAttributesAndRelationships() async throws {
        let server = MockJSONAPIServer.blog()
        let some = try await server.exchange(
            .get, "/articles/1?fields%5Barticles%5D=title,author&fields%5Bpeople%5D=&include=author")
        let article = try #require(some.document?.data?.resources.first)
        #expect(article.attributeNames == ["title"])
        #expect(article.relationships?.members.names == ["author"])
        #expect(some.document?.included?.first?.attributes == nil)
    }

    @Test func resourcesAreSorted() async throws {
        let server = MockJSONAPIServer.blog()
        #expect(try await server.exchange(.get, "/articles?sort=words").ids == ["2", "3", "1"])
        #expect(try await server.exchange(.get, "/articles?sort=-words").ids == ["1", "3", "2"])
        #expect(try await server.exchange(.get, "/articles?sort=-author.name,title").ids == ["2", "1", "3"])
        let refused = try await server.exchange(.get, "/articles?sort=nothing")
        #expect(refused.status == 400)
        #expect(refused.source?.parameter == "sort")
    }

    @Test func resourcesAreFiltered() async throws {
        let server = MockJSONAPIServer.blog { options in
            options.filters["words.above"] = { resource, value in
                guard let words = try? resource.attributes?["words"]?.decode(as: Int.self) else { return false }
                return words > Int(value) ?? 0
            }
        }
        #expect(try await server.exchange(.get, "/articles?filter%5Btitle%5D=First,Third").ids == ["1", "3"])
        #expect(try await server.exchange(.get, "/articles?filter[words]=100").ids == ["2"])
        #expect(try await server.exchange(.get, "/articles?filter[author]=1").ids == ["1"])
        #expect(try await server.exchange(.get, "/articles?filter[author.name]=Yehuda").ids == ["2"])
        #expect(try await server.exchange(.get, "/articles?filter[author][name]=Yehuda").ids == ["2"])
        #expect(try await server.exchange(.get, "/articles?filter[author]=null").ids == ["3"])
        #expect(try await server.exchange(.get, "/articles?filter[words.above]=150").ids == ["1", "3"])
        #expect(try await server.exchange(.get, "/articles?filter[nothing]=1").source?.parameter == "filter[nothing]")
        #expect(try await server.exchange(.get, "/articles?filter=1").source?.parameter == "filter")
    }

    @Test func relatedResourcesAreFetched() async throws {
        let server = MockJSONAPIServer.blog()
        #expect(try await server.exchange(.get, "/articles/1/author").ids == ["1"])
        #expect(try await server.exchange(.get, "/articles/3/author").document?.data == .single(nil))
        let comments = try await server.exchange(.get, "/articles/1/comments?sort=text&include=author")
        #expect(comments.ids == ["2", "1"])
        #expect(comments.included == ["people/1", "people/2"])
    }

    @Test func parametersWithLettersOnlyMustBeKnown() async throws {
        let server = MockJSONAPIServer.blog()
        #expect(try await server.exchange(.get, "/articles?unknown=1").source?.parameter == "unknown")
        #expect(try await server.exchange(.get, "/articles?ownFamily=1").status == 200)
        #expect(try await server.exchange(.get, "/articles/1?sort=title").source?.parameter == "sort")
    }

    @Test func idsWithReservedCharactersAreFetchedAtTheirLinks() async throws {
        let server = MockJSONAPIServer()
        for id in ["a/b", "ä+ö", "x=1&y", "100%", "?#"] {
            server.insert(ResourceObject(type: "things", id: id))
        }
        let things = try await server.exchange(.get, "/things").document?.data?.resources ?? []
        #expect(things.count == 5)
        for thing in things {
            let path = try #require(thing.links?["self"]?.href?.dropFirst("https://example.com".count))
            #expect(try await server.exchange(.get, String(path)).ids == [thing.id])
        }
    }

    @Test func pathsWithMalformedEscapesLeadToNothing() async throws {
        let server = MockJSONAPIServer(resources: [ResourceObject(type: "things", id: "100%")])
        for path in ["/things/100%", "/things/%FF", "/%zz"] {
            #expect(try await server.exchange(.get, path).status == 404)
        }
        #expect(try await server.exchange(.get, "/things/100%25").ids == ["100%"])
    }
}
