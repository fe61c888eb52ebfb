// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct ErrorStageTests {
    /// Returns the error of a request.
    private func failure<Request: HTTPAPIRequest>(
        of request: Request, _ reply: MockHTTPReply, interceptors: [any HTTPInterceptor] = []
    ) async throws -> HTTPRequestError<Request.Failure> {
        let session = HTTPSession(transport: MockHTTPTransport(reply: reply), interceptors: interceptors)
        do throws(HTTPRequestError<Request.Failure>) {
            _ = try await session.send(request)
        } catch {
            return error
        }
        throw Planned(name: "the request succeeded")
    }

    @Test func anErrorStatusKeepsHeadAndTypedBody() async throws {
        let reply = MockHTTPReply.json(#"{"code":"taken"}"#, status: 400, fields: [.retryAfter: "7"])
        let error = try await failure(of: CreateUser(), reply)
        guard case .status(let failure) = error else { throw error }
        #expect(failure.status == .badRequest)
        #expect(failure.failure == ServiceError(code: "taken"))
        #expect(failure.head.headerFields[.retryAfter] == "7")
        #expect(failure.bodyBeginning == Array(#"{"code":"taken"}"#.utf8))
        #expect(failure.failureError == nil)
        #expect(error.head?.status.code == 400)
        #expect(
            "\(error)"
                == #"The server answered with the status 400 for POST https://api.example.com/users."#)
    }

    @Test func theDefaultFailureIsTheBytes() async throws {
        let error = try await failure(of: Get<Int>(), .text("no", status: 404))
        guard case .status(let failure) = error else { throw error }
        #expect(failure.failure == Array("no".utf8))
    }

    @Test(arguments: [
        (502, "<html><body>Bad Gateway</body></html>"), (500, ""), (503, #"{"code":1}"#), (418, "{"),
    ])
    func anUnreadableErrorBodyKeepsTheStatus(_ status: Int, _ body: String) async throws {
        let error = try await failure(
            of: CreateUser(), .text(body, status: status, fields: [.contentType: "text/html", .server: "nginx"]))
        guard case .status(let failure) = error else { throw error }
        #expect(failure.status.code == status)
        #expect(failure.head.headerFields[.server] == "nginx")
        #expect(failure.failure == nil)
        #expect(failure.bodyBeginning == Array(body.utf8))
        #expect(failure.failureError != nil)
    }

    @Test func anErrorBodyThatIsCutOrTooLargeKeepsTheStatus() async throws {
        let cut = MockHTTPReply.pieces([[1, 2]], status: 500, end: HTTPTransportError(.connectionLost, "cut"))
        guard case .status(let first) = try await failure(of: Get<Int>(), cut) else { throw Planned() }
        #expect(first.bodyBeginning == [1, 2])
        #expect(first.failure == nil)
        let large = MockHTTPReply.pieces(
            [[UInt8]](repeating: [UInt8](repeating: 7, count: 1000), count: 100), status: 500)
        let request = Get<Int>(maximumResponseBytes: 50_000)
        guard case .status(let second) = try await failure(of: request, large) else { throw Planned() }
        #expect(second.bodyBeginning == [UInt8](repeating: 7, count: 16 << 10))
        #expect(second.failureError is HTTPByteStreamError)
    }

    @Test func brokenJSONIsAResponseError() async throws {
        let error = try await failure(of: Get<Repository>(), .json(#"{"name":"#, fields: [.server: "x"]))
        guard case .response(let failure) = error else { throw error }
        #expect(failure.head?.headerFields[.server] == "x")
        #expect(failure.bodyBeginning == Array(#"{"name":"#.utf8))
        #expect(failure.request?.path == "/")
        #expect(
            "\(error)".hasPrefix(
                "Could not use the response for GET https://api.example.com/ (status 200, Content-Type application/json): "
            ))
    }

    @Test func aMemberOfTheWrongTypeIsNamed() async throws {
        let error = try await failure(of: Get<Repository>(), .json(#"{"name":"b","stars":"many"}"#))
        #expect("\(error)".contains("$.stars"), "\(error)")
        #expect((error as any Error).localizedDescription == "\(error)")
    }

    @Test func errorsOfTheTransportAreConnectionErrors() async throws {
        let cause = HTTPTransportError(.cannotConnect, "Nobody listens on port 1.", isRequestUnsent: true)
        let error = try await failure(of: GetRepository(owner: "a", name: "b"), .failure(cause))
        guard case .connection(let failure) = error else { throw error }
        #expect(failure.head == nil)
        #expect(error.transportError?.code == .cannotConnect)
        #expect(
            "\(error)"
                == "Could not get a response for GET https://api.example.com/repos/a/b: Nobody listens on port 1. "
                + "(cannotConnect).")
    }

    @Test func aBodyThatIsCutKeepsHeadAndBeginning() async throws {
        let reply = MockHTTPReply.pieces(
            [[1, 2]], fields: [.server: "x"], length: 10, end: HTTPTransportError(.connectionLost, "cut"))
        let error = try await failure(of: Get<[UInt8]>(), reply)
        guard case .connection(let failure) = error else { throw error }
        #expect(failure.head?.headerFields[.server] == "x")
        #expect(failure.bodyBeginning == [1, 2])
    }

    @Test(arguments: [
        (HTTPTransportError.Code.invalidRequest, "request"), (.bodyTooLarge, "response"), (.timedOut, "connection"),
        (.protocolViolation, "connection"), (.secureConnectionFailed, "connection"), (.closed, "connection"),
    ])
    func transportErrorsBelongToAStage(_ code: HTTPTransportError.Code, _ stage: String) async throws {
        let error = try await failure(of: Get<Int>(), .failure(HTTPTransportError(code, "planned")))
        #expect(error.stage == stage)
    }

    @Test func unbuildableRequestsAreRequestErrors() async throws {
        let error = try await failure(of: Get<Int>(path: "/a b"), .json("1"))
        guard case .request(let failure) = error else { throw error }
        #expect(failure.underlying is RequestURLError)
        #expect(failure.request == nil)
    }

    @Test func anErrorOfInterceptIsARequestError() async throws {
        let error = try await failure(of: Failing(stage: "intercept"), .json("1"))
        #expect(error.stage == "request")
        #expect(error.underlying as? Planned == Planned())
    }

    @Test func anErrorOfAnInterceptorIsAConnectionError() async throws {
        let error = try await failure(
            of: Get<Int>(), .json("1"), interceptors: [ClosureInterceptor { _, _, _, _ in throw Planned() }])
        #expect(error.stage == "connection")
        #expect(error.underlying as? Planned == Planned())
    }

    @Test func errorsOfValidationAndParsingAreResponseErrors() async throws {
        for stage in ["validate", "response"] {
            let error = try await failure(of: Failing(stage: stage), .text("abc"))
            guard case .response(let failure) = error else { throw error }
            #expect(failure.underlying as? Planned == Planned())
            #expect(failure.head?.status == .ok)
        }
    }

    /// A validation that asks another service, for example.
    @Test func validationCanBeAsynchronous() async throws {
        struct Asynchronous: HTTPAPIRequest {
            typealias Response = Int
            let baseURL = exampleAPI
            var path: String { "x" }

            func validate(_ head: HTTPResponse) async throws {
                await Task.yield()
                if head.headerFields[.eTag] != "new" { throw Planned() }
            }
        }
        let stale = try await failure(of: Asynchronous(), .json("5"))
        guard case .response(let failure) = stale else { throw stale }
        #expect(failure.underlying as? Planned == Planned())
        let fresh = MockHTTPReply.json("5", fields: [.eTag: "new"])
        #expect(try await HTTPSession(transport: MockHTTPTransport(reply: fresh)).send(Asynchronous()) == 5)
    }

    @Test func aRequestCanAcceptOtherStatuses() async throws {
        let session = HTTPSession(transport: MockHTTPTransport(reply: .json("5", status: 404)))
        #expect(try await session.send(Failing(stage: "none")) == 5)
    }

    @Test func theSizeLimitIsKept() async throws {
        #expect("\(DataHTTPBody([1, 2, 3]))" == "application/octet-stream, 3 bytes")
        let exact = MockHTTPReply.pieces([[1, 2], [3, 4]])
        let session = HTTPSession(transport: MockHTTPTransport(reply: exact))
        #expect(try await session.send(Get<[UInt8]>(maximumResponseBytes: 4)) == [1, 2, 3, 4])
        let error = try await failure(of: Get<[UInt8]>(maximumResponseBytes: 3), exact)
        guard case .response(let failure) = error,
            case HTTPByteStreamError.tooLarge(let limit, _) = failure.underlying
        else { throw error }
        #expect(limit == 3)
        #expect(failure.bodyBeginning == [1, 2, 3, 4])
        #expect("\(error)".contains("larger than 3 bytes"))
    }

    @Test func anAnnouncedLengthBeyondTheLimitIsNotRead() async throws {
        let feed = HTTPPieceFeed()
        feed.send([UInt8](repeating: 1, count: 20_000))
        feed.send([UInt8](repeating: 1, count: 20_000))
        let error = try await failure(of: Get<[UInt8]>(), .stream(feed, length: 20 << 20))
        guard case .response(let failure) = error,
            case HTTPByteStreamError.tooLarge(let limit, let beginning) = failure.underlying
        else { throw error }
        #expect(limit == 10 << 20)
        #expect(beginning.count == 16 << 10)
        #expect("\(failure.underlying)" == "The body is larger than \(limit) bytes.")
    }

    @Test(
        arguments: [
            ("text/plain; charset=utf-16", [0x61], HTTPResponseContentError.unsupportedCharset("utf-16")),
            ("text/plain", [0xED, 0xA0, 0x80], .invalidUTF8),
        ] as [(String, [UInt8], HTTPResponseContentError)])
    func textThatCannotBeReadIsAResponseError(
        _ type: String, _ body: [UInt8], _ expected: HTTPResponseContentError
    ) async throws {
        let error = try await failure(of: Get<String>(), .status(200, fields: [.contentType: type], body: body))
        guard case .response(let failure) = error else { throw error }
        #expect(failure.underlying as? HTTPResponseContentError == expected)
        #expect(failure.bodyBeginning == body)
    }

    @Test func descriptionsHoldNoSecrets() async throws {
        var request = Get<Int>()
        request.queryItems = [.init("q", "swift"), .init("access_token", "s3cret"), .init("API_KEY", "s3cret")]
        request.headerFields = [.authorization: "Bearer s3cret"]
        let error = try await failure(of: request, .text("s3cret", status: 403))
        let text = "\(error)"
        #expect(!text.contains("s3cret"))
        #expect(text.contains("?q=swift&access_token=REDACTED&API_KEY=REDACTED"))
    }
}

extension HTTPRequestError {
    /// The name of the case.
    var stage: String {
        switch self {
        case .request: "request"
        case .connection: "connection"
        case .status: "status"
        case .response: "response"
        case .cancelled: "cancelled"
        }
    }
}

/// A request that fails in a stage.
private struct Failing: HTTPAPIRequest {
    typealias Response = Int
    var stage: String
    var baseURL: URL { exampleAPI }
    var path: String { "/" }

    func intercept(_ request: inout HTTPRequest) async throws {
        if stage == "intercept" { throw Planned() }
    }

    func validate(_ head: HTTPResponse) throws {
        if stage == "validate" { throw Planned() }
    }

    func response(from content: HTTPResponseContent) async throws -> Int {
        if stage == "response" { throw Planned() }
        return try await content.decoded()
    }
}

/// An interceptor from a closure.
struct ClosureInterceptor: HTTPInterceptor {
    typealias Closure =
        @Sendable (
            HTTPRequest, HTTPBodyEntity?, HTTPRequestContext, NextHTTPInterceptor
        ) async throws -> ReceivedHTTPResponse

    let closure: Closure

    init(_ closure: @escaping Closure) { self.closure = closure }

    func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> ReceivedHTTPResponse {
        try await closure(request, body, context, next)
    }
}
