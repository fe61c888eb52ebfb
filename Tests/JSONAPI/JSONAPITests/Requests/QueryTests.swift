// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import JSONAPI
import TestTurns
import Testing

@Suite("Queries", .inTurn)
struct QueryTests {
    private let request = JSONAPIRequest(path: "articles")

    private func text(_ request: JSONAPIRequest) -> String { JSONAPIQuery.encoding.encode(request.query.items) }

    @Test func parametersAreWrittenInTheOrderOfTheirCalls() {
        let request = request.sort([.descending("created"), .ascending("author.name")])
            .include(["author", "comments.author"])
            .fields(["people": ["name"], "articles": ["title", "body"]])
            .filter("post", "1", "2").page(.number(1, size: 10)).queryItems([HTTPQueryItem("token", "a b")])
        #expect(
            text(request)
                == "sort=-created,author.name&include=author,comments.author&fields%5Bpeople%5D=name"
                + "&fields%5Barticles%5D=title,body&filter%5Bpost%5D=1,2&page%5Bnumber%5D=1&page%5Bsize%5D=10&token=a+b"
        )
        #expect(request.query.fault == nil)
        #expect(request.query["include"] == ["author", "comments.author"])
    }

    @Test func repeatedParametersExtendTheFirst() {
        let request = request.include(["a"]).fields(["t": ["x"]]).include(["b"]).fields(["t": ["y"]])
            .sort([.ascending("x")]).sort([.descending("y")]).filter("k", "1").filter("k", "2")
        #expect(text(request) == "include=a,b&fields%5Bt%5D=x,y&sort=x,-y&filter%5Bk%5D=1,2")
    }

    @Test func emptyListsAreSentAsEmptyValues() {
        #expect(text(request.include([]).fields(["articles": []])) == "include=&fields%5Barticles%5D=")
        #expect(text(request.include([]).include(["a"])) == "include=a")
    }

    @Test func pagesReplaceEachOther() {
        #expect(text(request.page(.offset(20, limit: 10))) == "page%5Boffset%5D=20&page%5Blimit%5D=10")
        #expect(text(request.page(.cursor(after: "a/b", size: 3))) == "page%5Bafter%5D=a%2Fb&page%5Bsize%5D=3")
        #expect(text(request.page(.cursor(before: "c"))) == "page%5Bbefore%5D=c")
        #expect(text(request.page(JSONAPIQuery.Page(["index": "3"]))) == "page%5Bindex%5D=3")
        #expect(text(request.page(.offset(0, limit: 5)).page(.number(2))) == "page%5Bnumber%5D=2")
    }

    @Test func familiesOfImplementationsAndExtensions() {
        let request = request.filter(["author", "name"], ["a,b", "ü"]).parameter("camelCase", ["", "x.y"], ["1"])
            .parameter("ns:base", [], ["2"]).filter([], ["all"])
        #expect(
            text(request)
                == "filter%5Bauthor%5D%5Bname%5D=a%2Cb,%C3%BC&camelCase%5B%5D%5Bx.y%5D=1&ns%3Abase=2&filter=all")
        #expect(request.query.fault == nil)
    }

    @Test func illegalNamesFailBeforeTheRequest() async throws {
        let faulty: [(String, JSONAPIRequest)] = [
            ("include", request.include(["a..b"])), ("include", request.include(["a,b"])),
            ("include", request.include([""])), ("fields", request.fields(["a]": ["b"]])),
            ("fields[a]", request.fields(["a": ["b&c"]])), ("sort", request.sort([.ascending("-a")])),
            ("filter", request.filter("a]b", "1")), ("page", request.page(JSONAPIQuery.Page(["a b/": "1"]))),
            ("custom", request.parameter("lowercase", [], ["1"])), ("custom", request.parameter("ns:Base", [], ["1"])),
            ("custom", request.parameter("@at", [], ["1"])), ("custom", request.parameter("", [], ["1"])),
        ]
        for (name, request) in faulty {
            #expect(request.query.fault?.parameter == name)
            let api = try MockAPI()
            let error = try await failure { () async throws(JSONAPIError) in try await api.client.send(request) }
            #expect(error.code == .request)
            #expect(api.calls.isEmpty)
        }
    }

    @Test func linksAreReadAsForms() {
        let query = JSONAPIQuery(ofLink: "https://a.example/b?page%5Bnumber%5D=2&q=a+b&page[size]=3&x#f?g")
        #expect(query["page[number]"] == ["2"])
        #expect(query["q"] == ["a b"])
        #expect(query["page[size]"] == ["3"])
        #expect(query["x"] == [])
        #expect(query["none"] == nil)
        #expect(JSONAPIQuery(ofLink: "/a").items.isEmpty)
    }

    @Test func queriesAreSent() async throws {
        let api = try MockAPI()
        let client = api.client
        api.answer(#"{"data":[]}"#)
        let request = JSONAPIRequest(path: "/articles").include(["author"]).sort([.descending("created")])
        let response = try await client.send(request)
        let articles = response.document?.data?.resources ?? []
        #expect(articles.isEmpty)
        #expect(api.calls == ["GET /v1/articles?include=author&sort=-created"])
    }
}
