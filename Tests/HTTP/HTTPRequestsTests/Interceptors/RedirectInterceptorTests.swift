// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPSyntax
import HTTPTypes
import TestSupport
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60))) struct RedirectInterceptorTests {
    private static let start = "https://api.example.com/a/b?q=1"

    private static func redirect(_ status: Int, _ location: String?) -> MockHTTPReply {
        .status(status, fields: location.map { [.location: $0] } ?? [:], body: Array("moved".utf8))
    }

    /// Sends a request through an interceptor, and returns the status and the requests that were made.
    private func run(
        _ replies: [MockHTTPReply], method: HTTPRequest.Method = .get, fields: HTTPFields = [:],
        body: HTTPBodyEntity? = nil, url: (scheme: String, path: String) = ("https", "/a/b?q=1"),
        interceptor: RedirectInterceptor = RedirectInterceptor()
    ) async throws -> (status: Int, requests: [ReceivedHTTPRequest]) {
        let transport = MockHTTPTransport()
        for reply in replies { transport.expect(reply: reply) }
        let request = HTTPRequest(
            method: method, scheme: url.scheme, authority: "api.example.com", path: url.path, headerFields: fields)
        let next = NextHTTPInterceptor { try await transport.send($0, body: $1, context: $2) }
        let response = try await interceptor.intercept(
            request, body: body, context: HTTPRequestContext(), next: next)
        return (response.head.status.code, transport.requests)
    }

    @Test(arguments: [
        (301, HTTPRequest.Method.get, HTTPRequest.Method.get), (301, .post, .get), (301, .put, .put),
        (301, .head, .head), (302, .post, .get), (302, .delete, .delete), (302, .patch, .patch), (303, .get, .get),
        (303, .post, .get), (303, .put, .get), (303, .delete, .get), (303, .head, .head), (307, .get, .get),
        (307, .post, .post), (307, .put, .put), (308, .post, .post), (308, .patch, .patch),
    ])
    func methodsFollowTheStandard(
        _ status: Int, _ method: HTTPRequest.Method, _ expected: HTTPRequest.Method
    ) async throws {
        let body = HTTPBodyEntity(contentType: "text/plain", content: .bytes([1, 2]))
        let fields: HTTPFields = [.contentType: "text/plain", .contentLanguage: "en", .accept: "*/*"]
        let (result, requests) = try await run(
            [Self.redirect(status, "/x"), .status(200)], method: method, fields: fields, body: body)
        #expect(result == 200)
        let last = try #require(requests.last)
        #expect(last.head.method == expected)
        #expect(last.head.path == "/x")
        #expect(last.body == (expected == method ? [1, 2] : nil))
        #expect(last.head.headerFields == (expected == method ? fields : [.accept: "*/*"]))
    }

    @Test(
        arguments: [
            ("/x", "https://api.example.com/x"), ("x", "https://api.example.com/a/x"),
            ("../x", "https://api.example.com/x"), ("../../../x", "https://api.example.com/x"),
            ("./x/./y/../z", "https://api.example.com/a/x/z"), ("?p=2", "https://api.example.com/a/b?p=2"),
            ("//other.example/x?y", "https://other.example/x?y"), ("https://other.example", "https://other.example/"),
            ("HTTPS://Other.example:8443/x#fragment", "https://Other.example:8443/x"),
            ("https://user:password@other.example/x", "https://other.example/x"),
            ("/日本 x\"", "https://api.example.com/%E6%97%A5%E6%9C%AC%20x%22"), (" /x ", "https://api.example.com/x"),
            ("/x%2Fy", "https://api.example.com/x%2Fy"), ("/a//b/", "https://api.example.com/a//b/"),
            ("https://[::1]:80/x", "https://[::1]:80/x"), ("x:y/z", nil), ("..", "https://api.example.com/"),
            (".", "https://api.example.com/a/"),
            ("?page[cursor]=a%2Bb%2F%3D", "https://api.example.com/a/b?page[cursor]=a%2Bb%2F%3D"),
            ("//[::1]:65535/", "https://[::1]:65535/"), ("//other.example:/", "https://other.example:/"),
            ("//127.0.0.1/", "https://127.0.0.1/"), ("//other.example./", "https://other.example./"),
        ] as [(String, String?)])
    func locationsAreResolved(_ location: String, _ expected: String?) async throws {
        let (status, requests) = try await run([Self.redirect(302, location), .status(200)])
        #expect(status == (expected == nil ? 302 : 200))
        if let expected { #expect(requests.last?.description == "GET \(expected)") }
    }

    @Test(
        arguments: [
            nil, "", "https://", "https:///x", "http:", "mailto:a@b", "javascript:alert(1)", "file:///etc/passwd",
            "ftp://other.example/x", "https://a b/x", "https://@/x", "https://:80/", "https://<x>/",
            "https://127.0.0.1:99999999/", "//127.0.0.1:70000/", "https://[::1]:65536/", "//x:0/",
            "//x:18446744073709551617/",
            "//x:+80/", "//x:80x/", "//x:1:2/", "https://[]/", "https://[g::]/", "https://[::1/", "https://a]b/",
            "//[::1]x/",
            "//%31/", "//127.1/", "//2130706433/", "https://0x7f000001:80/", "//example.0/", "//.example.com/",
            "//a..b/", "//[:]/", "//[1:2]/", "//[::1%25a%2Fb]/",
        ] as [String?])
    func malformedLocationsAreNotFollowed(_ location: String?) async throws {
        // An empty reference is the same request, which is a cycle.
        if location == "" {
            await #expect(throws: HTTPRedirectError.self) { try await run([Self.redirect(302, location)]) }
        } else {
            let (status, requests) = try await run([Self.redirect(302, location)])
            #expect(status == 302)
            #expect(requests.count == 1)
        }
    }

    /// A name that the resolver reads as an address is refused elsewhere, but here the program has chosen it.
    @Test(arguments: ["/x", "//127.1/x"])
    func theHostOfTheBaseIsKept(_ location: String) {
        let base = HTTPRequest(method: .get, scheme: "http", authority: "127.1", path: "/a")
        #expect(URLReference(location).resolved(against: base)?.authority == "127.1")
        #expect(URLReference("//2130706433/x").resolved(against: base) == nil)
    }

    @Test func noLocationMakesAMalformedRequest() async throws {
        var random = SeededGenerator(seed: 7)
        let parts = [
            "http", "https", ":", "/", "//", "?", "#", "[", "]", "@", ".", "..", "%", "%2", "%0A", " ", "é", "\u{7F}",
            "a", "127.0.0.1", ":65536", ":99999999",
            "1", "\\", "\"", "\t", ":80", "::1", "\u{1F600}",
        ]
        for _ in 0..<3000 {
            let location = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)]
            }.joined()
            var interceptor = RedirectInterceptor()
            interceptor.allowsInsecureRedirects = true
            let requests = Log<HTTPRequest>()
            let next = NextHTTPInterceptor { request, _, _ in
                requests.add(request)
                let fields: HTTPFields = requests.values.count == 1 ? [.location: location] : [:]
                return ReceivedHTTPResponse(HTTPResponse(status: fields.isEmpty ? .ok : .found, headerFields: fields))
            }
            let start = HTTPRequest(method: .get, scheme: "https", authority: "api.example.com", path: "/a/b")
            _ = try? await interceptor.intercept(start, body: nil, context: HTTPRequestContext(), next: next)
            for request in requests.values {
                let (path, authority) = (request.path ?? "", request.authority ?? "")
                #expect(path.hasPrefix("/") && path.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "\(location): \(path)")
                #expect(!path.contains("#") && !authority.isEmpty && !authority.contains("@"), "\(location)")
                #expect(HTTPAuthority(authority) != nil, "\(location)")
                #expect(request.scheme == "http" || request.scheme == "https", "\(location)")
            }
        }
    }

    @Test(arguments: [300, 304, 305, 306, 309, 200, 404])
    func otherStatusesAreNotRedirects(_ status: Int) async throws {
        #expect(try await run([Self.redirect(status, "/x")]).status == status)
    }

    @Test(arguments: [
        ("/x", true), ("https://api.example.com/x", true), ("https://API.example.com:443/x", true),
        ("https://api.example.com:8443/x", false), ("https://other.example/x", false),
        ("https://example.com/x", false), ("https://api.example.com.evil.example/x", false),
        ("https://api.example.com@evil.example/x", false), ("//evil.example", false),
    ])
    func secretsStayWithTheirOrigin(_ location: String, _ keeps: Bool) async throws {
        let key = try #require(HTTPField.Name("X-Key"))
        let secrets: HTTPFields = [.authorization: "a", .cookie: "b=c", .proxyAuthorization: "d", key: "e"]
        var interceptor = RedirectInterceptor()
        interceptor.removedFields = [key]
        var fields = secrets
        fields[.accept] = "*/*"
        let (_, requests) = try await run(
            [Self.redirect(307, location), .status(200)], fields: fields, interceptor: interceptor)
        #expect(requests.last?.head.headerFields == (keeps ? fields : [.accept: "*/*"]))
    }

    @Test func secretFieldsAreNotSentToOtherOrigins() async throws {
        let names = HTTPRedaction.standard.fieldNames
        #expect(names.contains(try #require(HTTPField.Name("X-Api-Key"))))
        var fields = HTTPFields(names.map { HTTPField(name: $0, value: "s3cret") })
        fields[.accept] = "*/*"
        let replies = [Self.redirect(307, "//other.example/"), MockHTTPReply.status(200)]
        #expect(try await run(replies, fields: fields).requests.last?.head.headerFields == [.accept: "*/*"])
    }

    @Test func secretsDoNotComeBackWithTheOrigin() async throws {
        let (_, requests) = try await run(
            [Self.redirect(302, "https://other.example/"), Self.redirect(302, Self.start + "2"), .status(200)],
            fields: [.authorization: "a"])
        #expect(requests.map { $0.head.headerFields[.authorization] } == ["a", nil, nil])
    }

    @Test func aSchemeIsNotDowngraded() async throws {
        let replies = [Self.redirect(302, "http://api.example.com/x"), MockHTTPReply.status(200)]
        let error = await #expect(throws: HTTPRedirectError.self) { try await run(replies) }
        #expect(error?.reason == .insecure)
        #expect(error?.location == "http://api.example.com/x")
        var allowing = RedirectInterceptor()
        allowing.allowsInsecureRedirects = true
        let (status, requests) = try await run(replies, fields: [.authorization: "a"], interceptor: allowing)
        #expect(status == 200)
        #expect(requests.last?.head.headerFields == [:])
        let upgrade = try await run(
            [Self.redirect(301, "https://api.example.com/a"), .status(200)], url: ("http", "/a"))
        #expect(upgrade.status == 200)
    }

    @Test func aChainHasALimit() async throws {
        let chain = (1...11).map { Self.redirect(302, "/\($0)") }
        #expect(try await run(Array(chain.prefix(10)) + [.status(200)]).status == 200)
        let error = await #expect(throws: HTTPRedirectError.self) { try await run(chain) }
        #expect(error?.reason == .tooMany(limit: 10))
        var none = RedirectInterceptor()
        none.limit = 0
        await #expect(throws: HTTPRedirectError.self) { try await run([Self.redirect(302, "/x")], interceptor: none) }
    }

    @Test func aCycleIsAnError() async throws {
        let error = await #expect(throws: HTTPRedirectError.self) {
            try await run([Self.redirect(302, "/x"), Self.redirect(302, "/y"), Self.redirect(302, "/x")])
        }
        #expect(error?.reason == .cycle)
        #expect(error?.head.status.code == 302)
        // A `POST` that redirects to itself is not a cycle, because the method changes.
        #expect(try await run([Self.redirect(303, Self.start), .status(200)], method: .post).status == 200)
    }

    @Test func aSingleUseBodyIsNotSentAgain() async throws {
        let body = HTTPBodyEntity(content: .stream(length: nil, isReplayable: false) { HTTPByteStream([1]) })
        #expect(try await run([Self.redirect(307, "/x")], method: .post, body: body).status == 307)
        let replaced = try await run([Self.redirect(303, "/x"), .status(200)], method: .post, body: body)
        #expect(replaced.status == 200)
        #expect(replaced.requests.last?.body == nil)
    }

    @Test(arguments: [false, true])
    func aSessionFollowsRedirectsByDefault(_ hasInterceptor: Bool) async throws {
        let transport = MockHTTPTransport()
        transport.expect(.post("/users"), reply: Self.redirect(303, "/users/1?token=s3cret"))
        transport.expect(.get("/users/1"), reply: Self.redirect(307, "/users/2"))
        transport.expect(.get("/users/2"), reply: .status(200))
        let statuses = Log<Int>()
        let observer = ClosureInterceptor { request, body, context, next in
            let response = try await next(request, body: body, context: context)
            statuses.add(response.head.status.code)
            return response
        }
        try await HTTPSession(transport: transport, interceptors: hasInterceptor ? [observer] : []).send(CreateUser())
        try transport.verify()
        #expect(statuses.values == (hasInterceptor ? [200] : []))
    }

    @Test func aSessionNeedNotFollowRedirects() async throws {
        var configuration = HTTPSessionConfiguration()
        configuration.redirects = nil
        let session = HTTPSession(
            transport: MockHTTPTransport(reply: Self.redirect(302, "/x")), configuration: configuration)
        do throws(HTTPRequestError<[UInt8]>) {
            _ = try await session.send(Get<Int>())
            Issue.record("The request succeeded.")
        } catch {
            #expect(error.stage == "status")
            #expect(error.head?.headerFields[.location] == "/x")
        }
    }

    @Test func aRefusedRedirectIsAResponseErrorWithItsHead() async throws {
        let transport = MockHTTPTransport(reply: Self.redirect(302, "http://other.example/?token=s3cret"))
        do throws(HTTPRequestError<[UInt8]>) {
            _ = try await HTTPSession(transport: transport).send(Get<Int>())
            Issue.record("The request succeeded.")
        } catch {
            guard case .response(let failure) = error else { throw error }
            #expect(failure.head?.status.code == 302)
            #expect(!"\(error)".contains("s3cret"))
        }
    }
}
