// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Each answer gives a typed error, which keeps the status, the header fields and the beginning of the body.
@Suite(.inTurn(within: .seconds(60)))
struct BadAnswerTests {
    private static let error = #"{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"slow down"}}"#
    private static let html = "<html><body>Bad Gateway</body></html>"

    private func failure(_ reply: FakeServer.Reply) async throws -> any Error {
        let rpc = JSONRPCHTTPClient.over(FakeServer(replies: [reply]))
        return try #require(await JSONRPCHTTPTests.error { try await rpc.call(Subtract(1)) })
    }

    @Test(arguments: [400, 404, 429, 500, 503])
    func aJSONRPCErrorInAnotherStatusKeepsBoth(code: Int) async throws {
        let reply = FakeServer.Reply.text(
            Self.error, HTTPResponse.Status(code: code),
            fields: [.contentType: "application/json", .retryAfter: "120", .eTag: "x"])
        let failure = try #require(try await failure(reply) as? ErrorObject)
        #expect(failure == ErrorObject(code: -32005, message: "slow down"))
        #expect(failure.method == "subtract")
        #expect(failure.httpAnswer?.status.code == code)
        #expect(failure.httpAnswer?.headerFields[.eTag] == "x")
        #expect(failure.httpAnswer?.retryAfter == .seconds(120))
        #expect(failure.httpAnswer?.bodyBeginning == Array(Self.error.utf8))
    }

    @Test func anErrorInEachMemberKeepsTheStatus() async throws {
        let rpc = JSONRPCHTTPClient.over(
            FakeServer { arrival in
                var reply = FakeServer.Reply.each(arrival) { _ in #""error":{"code":7,"message":"m"}"# }
                reply.status = .internalServerError
                return reply
            })
        for outcome in try await rpc.batch([Subtract(1), Subtract(2)]) {
            #expect(outcome.callError?.errorObject?.code == 7)
            #expect(outcome.callError?.httpAnswer?.status == .internalServerError)
        }
    }

    @Test(arguments: [html, "", "[]", "null", "{}", #"{"status":502}"#])
    func aStatusWithAnotherBodyIsAStatusError(body: String) async throws {
        let reply = FakeServer.Reply.text(
            body, .badGateway, fields: [.contentType: "text/html", .retryAfter: "7", .server: "proxy"])
        let failure = try #require(try await failure(reply) as? ClientError)
        #expect(failure.code == .transportFailed)
        // A server behind the gateway may have executed the call.
        #expect(failure.delivery == .outcomeUnknown)
        #expect(failure.isRetryable)
        guard case .status(let answer)? = failure.cause as? JSONRPCHTTPError else {
            Issue.record("The cause is \(String(describing: failure.cause)).")
            return
        }
        #expect(answer.status == .badGateway)
        #expect(answer.headerFields[.server] == "proxy")
        #expect(answer.bodyBeginning == Array(body.utf8))
        #expect(failure.httpAnswer == answer)
        #expect((failure.cause as? any ConnectError)?.isRetryable == true)
        #expect((failure.cause as? any ConnectError)?.retryAfter == .seconds(7))
        #expect(failure.message.contains("502"))
        #expect(!failure.description.contains("Gateway</body>"))
    }

    /// The status of a server failure does not say what the server behind a gateway has done, even with `Retry-After`
    /// (RFC 9110 §15.6).
    @Test(arguments: [
        (302, ClientError.Delivery.answered), (400, .answered), (404, .answered), (408, .answered), (413, .answered),
        (429, .answered), (499, .answered), (500, .outcomeUnknown), (501, .answered), (502, .outcomeUnknown),
        (503, .outcomeUnknown), (504, .outcomeUnknown), (505, .answered), (507, .outcomeUnknown), (511, .answered),
        (520, .outcomeUnknown), (524, .outcomeUnknown), (599, .outcomeUnknown), (700, .outcomeUnknown),
    ])
    func theStatusDecidesOnTheDelivery(code: Int, delivery: ClientError.Delivery) async throws {
        for fields: HTTPFields in [[:], [.retryAfter: "7"]] {
            let failure = try #require(
                try await failure(.text(Self.html, HTTPResponse.Status(code: code), fields: fields)) as? ClientError)
            #expect(failure.code == .transportFailed)
            #expect(failure.delivery == delivery)
        }
    }

    @Test(arguments: [500, 502, 503, 504])
    func aServerFailureWithAJSONRPCErrorIsAnswered(code: Int) async throws {
        let reply = FakeServer.Reply.text(Self.error, HTTPResponse.Status(code: code))
        let rpc = JSONRPCHTTPClient.over(FakeServer(replies: [reply]))
        #expect(await rpc.result(of: Subtract(1)).callError?.delivery == .answered)
    }

    @Test(arguments: [401, 403, 404, 413, 501])
    func otherStatusesAreNotRetryable(code: Int) async throws {
        let failure = try #require(
            try await failure(.text("no", HTTPResponse.Status(code: code), fields: [:])) as? ClientError)
        #expect(!failure.isRetryable)
        #expect(failure.httpAnswer?.status.code == code)
    }

    @Test func aRedirectIsAStatusError() async throws {
        let failure = try #require(
            try await failure(.text("", .found, fields: [.location: "http://other.test/"])) as? ClientError)
        #expect(failure.httpAnswer?.headerFields[.location] == "http://other.test/")
    }

    @Test func anotherContentTypeIsRefused() async throws {
        let failure = try #require(
            try await failure(.text(Self.html, fields: [.contentType: "text/html; charset=utf-8"])) as? ClientError)
        guard case .contentType(let answer)? = failure.cause as? JSONRPCHTTPError else {
            Issue.record("The cause is \(String(describing: failure.cause)).")
            return
        }
        #expect(answer.status == .ok)
        #expect(answer.bodyBeginning == Array(Self.html.utf8))
        #expect(failure.message.contains("text/html; charset=utf-8"))
        #expect(!failure.isRetryable)
    }

    @Test(arguments: [
        "application/json", "Application/JSON ; charset=utf-8", "application/json-rpc", "application/jsonrequest", nil,
    ])
    func theseContentTypesAreAccepted(type: String?) async throws {
        var fields: HTTPFields = [:]
        fields[.contentType] = type
        let reply = FakeServer.Reply.text(#"{"jsonrpc":"2.0","id":1,"result":1}"#, fields: fields)
        #expect(try await JSONRPCHTTPClient.over(FakeServer(replies: [reply])).call(Subtract(1)) == 1)
    }

    /// Go sends `text/plain` and PHP `text/html` if a program sets no type.
    @Test(arguments: ["text/plain; charset=utf-8", "text/html", "application/octet-stream"])
    func aResponseCountsWhateverItsContentTypeIs(type: String) async throws {
        let server = FakeServer { arrival in
            var reply = FakeServer.Reply.each(arrival) { #""result":\#(FakeServer.difference($0))"# }
            reply.fields = [.contentType: type]
            return reply
        }
        let rpc = JSONRPCHTTPClient.over(server)
        #expect(try await rpc.call(Subtract(1)) == 1)
        #expect(try await rpc.batch([Subtract(1), Subtract(2)]) == [.success(1), .success(2)])
    }

    /// Other JSON, such as `{"error":"blocked"}`, is that of a gateway. The error has its status and its text.
    @Test(arguments: [401, 403, 429, 502], [#"{"error":"project blocked"}"#, #"[{"error":{"type":"blocked"}}]"#])
    func anErrorOfAGatewayIsAStatusError(code: Int, body: String) async throws {
        let reply = FakeServer.Reply.text(body, HTTPResponse.Status(code: code))
        let rpc = JSONRPCHTTPClient.over(FakeServer { _ in reply })
        let single = await JSONRPCHTTPTests.error { try await rpc.call(Subtract(1)) } as? ClientError
        let batch = try await rpc.batch([Subtract(1), Subtract(2)]).map { $0.callError?.clientError }
        for failure in [single] + batch {
            guard case .status(let answer)? = failure?.cause as? JSONRPCHTTPError else {
                Issue.record("The cause is \(String(describing: failure?.cause)).")
                continue
            }
            #expect(answer.status.code == code)
            #expect(answer.bodyBeginning == Array(body.utf8))
        }
    }

    /// With the id of the call, it is the server's response, even if it is irregular.
    @Test func anIrregularErrorWithTheIDOfTheCallIsAViolationWithAnyStatus() async throws {
        let reply = FakeServer.Reply.text(#"{"jsonrpc":"2.0","id":1,"error":"no"}"#, .forbidden)
        let failure = try #require(try await failure(reply) as? ClientError)
        #expect(failure.code == .protocolViolation)
    }

    @Test(arguments: [
        (#"Digest realm="r, s", qop="auth", nonce="abc""#, "Digest"), ("Negotiate", "Negotiate"),
        (#"Digest realm="r", Basic realm="r""#, nil), (#"Digest qop="auth",nonce="a", realm="r",Basic"#, nil),
        ("Bearer", nil), ("", nil),
    ])
    func anAuthenticationSchemeThatIsNotSupportedIsNamed(challenge: String, scheme: String?) async throws {
        let reply = FakeServer.Reply.text("", .unauthorized, fields: [.wwwAuthenticate: challenge])
        let failure = try #require(try await failure(reply) as? ClientError)
        #expect(failure.message.contains("not supported") == (scheme != nil))
        if let scheme { #expect(failure.message.contains("asks for \(scheme) authentication")) }
        #expect(!failure.message.contains("nonce"))
    }

    @Test(arguments: [
        ([UInt8](#"{"jsonrpc":"2.0","id":1,"resu"#.utf8), Irregularity.malformedJSON),
        ([UInt8](#"{"jsonrpc":"2.0","id":1,"result":""#.utf8) + [0xFF] + [UInt8](#""}"#.utf8), .invalidUTF8),
        ([UInt8](#"{"jsonrpc":"2.0","id":1,"result":1}garbage"#.utf8), .malformedJSON),
        ([UInt8]("17".utf8), .notAMessage),
        ([UInt8](#"{"hello":"world"}"#.utf8), .notAMessage),
        ([UInt8](String(repeating: "[", count: 100_000).utf8), .malformedJSON),
    ])
    func aBodyThatIsNoResponseIsAViolation(body: [UInt8], irregularity: Irregularity) async throws {
        var reply = FakeServer.Reply()
        reply.pieces = [body]
        let failure = try #require(try await failure(reply) as? ClientError)
        #expect(failure.code == .protocolViolation)
        #expect(failure.irregularity == irregularity)
        #expect(failure.received == body)
        #expect(failure.httpAnswer?.status == .ok)
        #expect(failure.httpAnswer?.bodyBeginning == Array(body.prefix(1024)))
    }

    @Test(arguments: [true, false]) func anAnswerBeyondTheLimitIsNotRead(announcesLength: Bool) async throws {
        var reply = FakeServer.Reply()
        reply.pieces = (0..<100).map { _ in [UInt8](repeating: 0x20, count: 1000) }
        reply.announcesLength = announcesLength
        let rpc = JSONRPCHTTPClient.over(FakeServer(replies: [reply])) { $0.maximumAnswerBytes = 2500 }
        let failure = try #require(await JSONRPCHTTPTests.error { try await rpc.call(Subtract(1)) } as? ClientError)
        guard case .answerTooLarge(let answer, 2500)? = failure.cause as? JSONRPCHTTPError else {
            Issue.record("The cause is \(String(describing: failure.cause)).")
            return
        }
        #expect(answer.status == .ok)
        #expect(answer.bodyBeginning.count == HTTPAnswer.bodyBeginningBytes)
        #expect(failure.message.contains("maximumAnswerBytes"))
    }

    @Test func aConnectionThatEndsWithinTheBodyIsLost() async throws {
        var reply = FakeServer.Reply.text(#"{"jsonrpc":"2.0","id":1,"#)
        reply.ending = HTTPTransportError(.connectionLost, "Reset by peer.")
        let failure = try #require(try await failure(reply) as? ClientError)
        #expect(failure.code == .connectionLost)
        #expect(failure.delivery == .outcomeUnknown)
        #expect(failure.isRetryable)
        #expect(failure.httpAnswer?.bodyBeginning == Array(#"{"jsonrpc":"2.0","id":1,"#.utf8))
    }

    @Test(arguments: [
        (
            HTTPTransportError.Code.cannotConnect, true, ClientError.Code.connectFailed, ClientError.Delivery.notSent,
            true
        ),
        (.secureConnectionFailed, true, .connectFailed, .notSent, false),
        (.connectionLost, false, .connectionLost, .outcomeUnknown, true),
        (.connectionLost, true, .connectionLost, .notSent, true),
        (.timedOut, true, .connectFailed, .notSent, true),
        (.timedOut, false, .timedOut, .outcomeUnknown, true),
        (.closed, false, .closed, .notSent, false),
        (.protocolViolation, false, .transportFailed, .outcomeUnknown, false),
    ])
    func aFailureOfTheTransportFailsEachCallOfThePost(
        code: HTTPTransportError.Code, isUnsent: Bool, expected: ClientError.Code, delivery: ClientError.Delivery,
        isRetryable: Bool
    ) async throws {
        let server = FakeServer { _ in throw HTTPTransportError(code, "A reason", isRequestUnsent: isUnsent) }
        for outcome in try await JSONRPCHTTPClient.over(server).batch([Subtract(1), Subtract(2)]) {
            let failure = try #require(outcome.callError?.clientError)
            #expect(failure.code == expected)
            #expect(failure.delivery == delivery)
            #expect(failure.isRetryable == isRetryable)
            #expect((failure.cause as? HTTPTransportError)?.code == code)
            #expect(failure.message.contains("A reason"))
        }
    }
}
