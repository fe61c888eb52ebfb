// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
public import HTTPTypes
import TaskWaits

/// A transport without a network that answers as a test specifies.
///
/// ```swift
/// let transport = MockHTTPTransport()
/// transport.expect(.get("/repos/a/b"), reply: .json(#"{"name":"b","stars":3}"#))
/// let session = HTTPSession(transport: transport)
/// let repository = try await session.send(GetRepository(owner: "a", name: "b"))
/// try transport.verify()
/// ```
///
/// A request is answered by the first remaining expectation, if it matches. Otherwise it is answered by the rule that
/// was added last and matches. If there is none, the request fails, and ``verify()`` throws.
public final class MockHTTPTransport: HTTPTransport {
    private struct State: Sendable {
        var expectations: [(matcher: HTTPRequestMatcher, reply: MockHTTPReply)] = []
        var rules: [(matcher: HTTPRequestMatcher, reply: MockHTTPReply)] = []
        var requests: [ReceivedHTTPRequest] = []
        var unexpected: [ReceivedHTTPRequest] = []

        mutating func reply(to request: ReceivedHTTPRequest) -> MockHTTPReply? {
            if let expectation = expectations.first, expectation.matcher.matches(request) {
                expectations.removeFirst()
                return expectation.reply
            }
            if let rule = rules.last(where: { $0.matcher.matches(request) }) { return rule.reply }
            unexpected.append(request)
            return nil
        }
    }

    private let state = Watched(State())

    /// Makes a transport without expectations.
    public init() {}

    /// Makes a transport that answers all requests alike.
    public convenience init(reply: MockHTTPReply) {
        self.init()
        when(.any, reply: reply)
    }

    /// Expects one request, after the earlier expectations.
    public func expect(_ matcher: HTTPRequestMatcher = .any, reply: MockHTTPReply) {
        state.update { $0.expectations.append((matcher, reply)) }
    }

    /// Answers any number of requests that match, and that no expectation answers.
    public func when(_ matcher: HTTPRequestMatcher, reply: MockHTTPReply) {
        state.update { $0.rules.append((matcher, reply)) }
    }

    /// The requests so far, in the order in which their bodies were complete.
    public var requests: [ReceivedHTTPRequest] { state.value.requests }

    /// Waits until a number of requests were made, and returns them.
    ///
    /// - Throws: An ``HTTPWaitCancelled`` if the task is cancelled.
    @discardableResult
    public func waitForRequests(_ count: Int) async throws -> [ReceivedHTTPRequest] {
        try await state.wait(for: "\(count) requests", instead: { "there were \($0.requests.count)" }) {
            $0.requests.count >= count
        }
        return requests
    }

    /// Checks that all expected requests were made, and no others.
    ///
    /// - Throws: A ``MockHTTPTransportError``.
    public func verify() throws {
        let state = state.value
        guard state.expectations.isEmpty, state.unexpected.isEmpty else {
            throw MockHTTPTransportError(
                missing: state.expectations.map(\.matcher.description), unexpected: state.unexpected.map(\.description))
        }
    }

    public func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        let received = ReceivedHTTPRequest(
            head: request, body: try await body?.bytes(reportingTo: context.uploadProgress), context: context)
        let reply = state.update { state in
            state.requests.append(received)
            return state.reply(to: received)
        }
        guard let reply else {
            throw HTTPTransportError(.invalidRequest, "The mock transport expects no request such as \(received)")
        }
        return try await reply.answer(received)
    }
}

/// The requests to a mock transport differ from the expected ones.
public struct MockHTTPTransportError: Error, Hashable, CustomStringConvertible {
    /// The expectations that no request has met.
    public let missing: [String]
    /// The requests that met no expectation.
    public let unexpected: [String]

    public init(missing: [String], unexpected: [String]) {
        self.missing = missing
        self.unexpected = unexpected
    }

    public var description: String {
        "Requests that were not made: \(missing). Requests that were not expected: \(unexpected)."
    }
}

/// A request that a mock transport got.
public struct ReceivedHTTPRequest: Sendable, CustomStringConvertible {
    /// The head.
    public let head: HTTPRequest
    /// The content; `nil` if the request has none.
    public let body: [UInt8]?
    /// The context.
    public let context: HTTPRequestContext

    /// The content as text, in which invalid UTF-8 is replaced.
    public var text: String? { body.map { String(decoding: $0, as: UTF8.self) } }

    public var description: String {
        "\(head.method) \(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")"
    }
}

/// A condition for requests.
public struct HTTPRequestMatcher: Sendable, CustomStringConvertible {
    public let description: String
    private let condition: @Sendable (ReceivedHTTPRequest) -> Bool

    /// Makes a condition from a closure.
    ///
    /// - Parameters:
    ///   - description: The condition in words, for ``MockHTTPTransportError``.
    ///   - condition: Returns whether a request matches.
    public init(_ description: String, _ condition: @escaping @Sendable (ReceivedHTTPRequest) -> Bool) {
        self.description = description
        self.condition = condition
    }

    /// All requests.
    public static var any: Self { Self("any request") { _ in true } }

    /// Requests with a method and a path. If the path has no query, the query of a request is not compared.
    public static func method(_ method: HTTPRequest.Method, _ path: String) -> Self {
        Self("\(method) \(path)") { request in
            guard request.head.method == method, let target = request.head.path else { return false }
            return target == path || target.prefix { $0 != "?" } == path
        }
    }

    /// `GET` requests with a path.
    public static func get(_ path: String) -> Self { method(.get, path) }

    /// `POST` requests with a path.
    public static func post(_ path: String) -> Self { method(.post, path) }

    func matches(_ request: ReceivedHTTPRequest) -> Bool { condition(request) }
}
