// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import Logging
import TestTurns
import Testing

@Suite(.inTurn) struct LoggingInterceptorTests {
    private struct Handler: LogHandler {
        let lines: Log<String>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(_ lines: Log<String>) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let text = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.add("\(event.level) \(event.message) \(text.joined(separator: " "))")
        }
    }

    private func lines(
        _ request: some HTTPAPIRequest, _ reply: MockHTTPReply, _ change: (inout LoggingInterceptor) -> Void = { _ in }
    ) async -> [String] {
        let lines = Log<String>()
        var logging = LoggingInterceptor(logger: Logger(label: "test") { _ in Handler(lines) })
        logging.clock = ImmediateHTTPClock()
        change(&logging)
        _ = try? await HTTPSession(transport: MockHTTPTransport(reply: reply), interceptors: [logging]).send(request)
        return lines.values
    }

    @Test func requestsAndResponsesAreLogged() async {
        #expect(
            await lines(Get<Int>(path: "/x"), .json("1")) == [
                "debug HTTP request attempt=1 method=GET url=https://api.example.com/x",
                "debug HTTP response attempt=1 duration=0.0 seconds method=GET status=200 url=https://api.example.com/x",
            ])
    }

    @Test func failuresAreLoggedAtAHigherLevel() async {
        let status = await lines(Get<Int>(path: "/x"), .text("", status: 503))
        #expect(status.last?.hasPrefix("warning HTTP response") == true)
        let lost = await lines(Get<Int>(path: "/x"), .failure(HTTPTransportError(.connectionLost, "lost")))
        #expect(
            lost.last
                == "warning HTTP failure attempt=1 duration=0.0 seconds error=lost (connectionLost) method=GET "
                + "url=https://api.example.com/x")
    }

    @Test func secretsAreRedacted() async throws {
        let key = try #require(HTTPField.Name("X-Key"))
        var request = Get<Int>(path: "/x")
        request.queryItems = [.init("token", "s3cret"), .init("pin", "s3cret"), .init("q", "swift")]
        request.headerFields = [.authorization: "Bearer s3cret", .cookie: "a=s3cret", key: "s3cret", .accept: "*/*"]
        let reply = MockHTTPReply.json("1", fields: [.setCookie: "a=s3cret"])
        let text = await lines(request, reply) {
            $0.includesHeaderFields = true
            $0.redaction.fieldNames.insert(key)
            $0.redaction.queryNames.insert("pin")
        }.joined(separator: "\n")
        #expect(!text.contains("s3cret"))
        #expect(text.contains("?token=REDACTED&pin=REDACTED&q=swift"))
        #expect(text.contains("Accept: */*"))
        #expect(text.contains("Authorization: REDACTED"))
        #expect(text.contains("Set-Cookie: REDACTED"))
    }

    @Test func anEncodedNameIsRedacted() async {
        let text = await lines(Get<Int>(path: "/x", queryItems: [.init("tok en", "1")]), .json("1"))
        #expect(text.first?.contains("tok%20en=1") == true)
        let encoded = HTTPRequest(method: .get, scheme: "https", authority: "u:s3cret@h", path: "/?to%6Ben=s3cret")
        let lines = Log<String>()
        let logging = LoggingInterceptor(logger: Logger(label: "test") { _ in Handler(lines) })
        let next = NextHTTPInterceptor { _, _, _ in ReceivedHTTPResponse(HTTPResponse(status: .ok)) }
        _ = try? await logging.intercept(encoded, body: nil, context: HTTPRequestContext(), next: next)
        #expect(!lines.values.joined().contains("s3cret"))
    }
}
