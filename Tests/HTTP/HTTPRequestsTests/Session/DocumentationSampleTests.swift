// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing
import WireJSON

/// The samples of the articles and of the doc comments.
@Suite(.inTurn(within: .seconds(60))) struct DocumentationSampleTests {
    @Test func aMockTransportAnswers() async throws {
        let transport = MockHTTPTransport()
        transport.expect(.get("/repos/a/b"), reply: .json(#"{"name":"b","stars":3}"#))
        let session = HTTPSession(transport: transport)
        let repository = try await session.send(GetRepository(owner: "a", name: "b"))
        try transport.verify()
        #expect(repository.stars == 3)
    }

    @Test func errorsAreHandledByStage() async throws {
        let session = HTTPSession(transport: MockHTTPTransport(reply: .json(#"{"code":"taken"}"#, status: 409)))
        var lines: [String] = []
        func show(_ line: String) { lines.append(line) }
        do {
            try await session.send(CreateUser())
        } catch .status(let failure) {
            show("\(failure.status.code): \(failure.failure?.code ?? "unknown error")")
        } catch .connection(let failure) {
            show("Try again later: \(failure)")
        } catch {
            show("\(error)")
        }
        #expect(lines == ["409: taken"])
    }

    @Test func aSessionIsConfigured() async throws {
        let transport = MockHTTPTransport(reply: .json("1"))
        var configuration = HTTPSessionConfiguration()
        configuration.timeouts.total = .seconds(30)
        configuration.maximumResponseBytes = 1 << 20
        configuration.headerFields[.userAgent] = "example/1.0"
        let session = HTTPSession(
            transport: transport,
            interceptors: [RetryInterceptor(), ConcurrencyLimitInterceptor(limit: 8)],
            configuration: configuration)
        #expect(try await session.send(Get<Int>()) == 1)
    }

    @Test func tokensAreRefreshed() async throws {
        let (savedToken, tokenService) = ("old", TokenService())
        let authorization = AuthorizationInterceptor(token: savedToken) { refused in
            try await tokenService.newToken(replacing: refused)
        }
        let transport = MockHTTPTransport()
        transport.expect(reply: .status(401))
        transport.expect(reply: .json("1"))
        let interceptors: [any HTTPInterceptor] = [
            RetryInterceptor(), authorization, RevalidationInterceptor(store: MemoryHTTPResponseStore()),
            ConcurrencyLimitInterceptor(limit: 8), RateLimitInterceptor(HTTPRateLimit(25, per: .seconds(1))),
        ]
        let session = HTTPSession(transport: transport, interceptors: interceptors)
        #expect(try await session.send(Get<Int>()) == 1)
        #expect(transport.requests.last?.head.headerFields[.authorization] == "Bearer new")
    }

    @Test func eventsAreReadAsTheyArrive() async throws {
        let transport = MockHTTPTransport(reply: .pieces([Array("data: a\n\nda".utf8), Array("ta: b\n\n".utf8)]))
        let session = HTTPSession(transport: transport)
        var texts: [String] = []
        let stream = try await session.send(GetEvents())
        for try await event in stream.serverSentEvents() {
            texts.append(event.data)
        }
        #expect(texts == ["a", "b"])
    }

    @Test func aManualClockExceedsALimit() async throws {
        let transport = MockHTTPTransport(reply: .none)
        let clock = ManualHTTPClock()
        var configuration = HTTPSessionConfiguration()
        configuration.clock = clock
        let session = HTTPSession(transport: transport, configuration: configuration)
        async let repository = session.send(GetRepository(owner: "a", name: "b"))
        try await clock.waitForSleeper(dueIn: .seconds(60))
        clock.advance(by: .seconds(60))
        do {
            _ = try await repository
            Issue.record("The request succeeded.")
        } catch let error as HTTPRequestError<[UInt8]> {
            #expect(error.transportError?.code == .timedOut)
        }
    }

    @Test func aFieldIsAdded() async throws {
        let transport = MockHTTPTransport(reply: .json("1"))
        let session = HTTPSession(transport: transport, interceptors: [TraceField(traceID: "t")])
        _ = try await session.send(Get<Int>())
        #expect(transport.requests.first?.head.headerFields[.traceparent] == "t")
    }

    @Test func theRequestsOfTheArticlesAreMade() async throws {
        let upload = try await UploadPhoto(file: #filePath).makeHTTPRequest()
        #expect(upload.head.headerFields[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
        let search = try await SearchUsers(text: "a b").makeHTTPRequest()
        #expect(search.head.path == "/users?q=a%20b&page=1")
        let session = HTTPSession(transport: MockHTTPTransport(reply: .json(#"{"id":1,"login":"x"}"#)))
        #expect(try await session.send(GetProfile()).login == "x")
    }
}

private struct TokenService: Sendable {
    func newToken(replacing refused: String?) async throws -> String { "new" }
}

struct TraceField: HTTPInterceptor {
    let traceID: String

    func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> ReceivedHTTPResponse {
        var request = request
        request.headerFields[.traceparent] = traceID
        return try await next(request, body: body, context: context)
    }
}

struct GetEvents: HTTPAPIRequest {
    typealias Response = HTTPByteStream
    var baseURL: URL { exampleAPI }
    var path: String { "/events" }
    var headerFields: HTTPFields { [.accept: "text/event-stream"] }
}

struct SearchUsers: HTTPAPIRequest {
    typealias Response = [String]
    let text: String
    var baseURL: URL { exampleAPI }
    var path: String { "/users" }
    var queryItems: [HTTPQueryItem] { [.init("q", text), .init("page", 1)] }
}

struct UploadPhoto: HTTPAPIRequest {
    typealias Response = Void
    let file: String
    var method: HTTPRequest.Method { .post }
    var baseURL: URL { exampleAPI }
    var path: String { "/photos" }
    var body: MultipartHTTPBody {
        MultipartHTTPBody([.init("title", "Harbour"), .init("photo", filePath: file)])
    }
}

struct GetProfile: HTTPAPIRequest {
    typealias Response = Profile
    var baseURL: URL { exampleAPI }
    var path: String { "/profile" }
}

struct Profile: JSONResponse {
    let login: String

    init(json: JSONValue, urlResponse: HTTPResponse) throws {
        guard let login = json["login"]?.stringValue else { throw Planned() }
        self.login = login
    }
}
