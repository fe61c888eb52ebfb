// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequestsTesting
import HTTPTypes
import JSONRPCHTTP
import Synchronization
import TestSupport
import WireJSON

/// A transport whose answers are defined by a test.
final class FakeServer: HTTPTransport {
    /// A request that arrived.
    struct Arrival: Sendable {
        var number: Int
        var request: HTTPRequest
        var body: [UInt8]
        var context: HTTPRequestContext

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
        var isArray: Bool { json.arrayValue != nil }
        /// The members of an array, or the only message.
        var members: [JSONValue] { json.arrayValue ?? [json] }
        /// The members that have an id.
        var calls: [JSONValue] { members.filter { $0["id"] != nil } }
        var ids: [JSONValue] { members.compactMap { $0["id"] } }
        var methods: [String] { members.compactMap { $0["method"]?.stringValue } }
    }

    /// An answer.
    struct Reply: Sendable {
        var status: HTTPResponse.Status = .ok
        var fields: HTTPFields = [.contentType: "application/json"]
        /// The body, in pieces.
        var pieces: [[UInt8]] = []
        /// The error after the pieces.
        var ending: HTTPTransportError?
        /// The body that a test sends while the client reads it; it replaces the pieces.
        var live: LiveBody?
        var announcesLength = true

        static func text(
            _ text: String, _ status: HTTPResponse.Status = .ok, fields: HTTPFields = [.contentType: "application/json"]
        ) -> Reply {
            Reply(status: status, fields: fields, pieces: text.isEmpty ? [] : [Array(text.utf8)])
        }

        /// One response for each call, in the form of the request.
        static func each(_ arrival: Arrival, _ outcome: (JSONValue) -> String) -> Reply {
            let responses = arrival.calls.map { Self.response($0["id"] ?? .null, outcome($0)) }
            return text(arrival.isArray ? "[\(responses.joined(separator: ","))]" : responses.joined())
        }

        static func response(_ id: JSONValue, _ outcome: String) -> String {
            #"{"jsonrpc":"2.0","id":\#(id),\#(outcome)}"#
        }
    }

    typealias Answer = @Sendable (Arrival) async throws -> Reply

    /// The requests that arrived.
    let arrivals = EventLog<Arrival>()
    /// The numbers of the requests whose task was cancelled while they waited.
    let cancellations = EventLog<Int>()
    private let counter = Mutex(0)
    private let answer: Answer

    init(_ answer: @escaping Answer) { self.answer = answer }

    /// Answers each POST with the next text.
    convenience init(replies: [Reply]) {
        self.init { replies.indices.contains($0.number) ? replies[$0.number] : .text("", .internalServerError) }
    }

    /// Answers `subtract`, and returns the first param for other methods.
    static func arithmetic() -> FakeServer {
        FakeServer { .each($0) { #""result":\#(difference($0))"# } }
    }

    static func difference(_ call: JSONValue) -> Int {
        (call["params"]?[0]?.intValue ?? 0) - (call["params"]?[1]?.intValue ?? 0)
    }

    func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        let number = counter.withLock { counter in
            defer { counter += 1 }
            return counter
        }
        guard case .bytes(let bytes)? = body?.content else {
            throw HTTPTransportError(.invalidRequest, "The body is not in memory.")
        }
        let arrival = Arrival(number: number, request: request, body: bytes, context: context)
        arrivals.record(arrival)
        let reply: Reply
        do {
            reply = try await answer(arrival)
        } catch let error as CancellationError {
            cancellations.record(number)
            throw error
        }
        let head = HTTPResponse(status: reply.status, headerFields: reply.fields)
        if let live = reply.live { return ReceivedHTTPResponse(head, body: HTTPByteStream(live)) }
        let length = reply.ending == nil ? reply.pieces.reduce(0) { $0 + $1.count } : nil
        return ReceivedHTTPResponse(
            head,
            body: HTTPByteStream(
                Pieces(reply.pieces, reply.ending), length: reply.announcesLength ? length.map { Int64($0) } : nil))
    }
}

/// A body in pieces, which may end with an error.
private final class Pieces: HTTPByteSource {
    private let pieces: Mutex<ArraySlice<[UInt8]>>
    private let ending: HTTPTransportError?

    init(_ pieces: [[UInt8]], _ ending: HTTPTransportError?) {
        self.pieces = Mutex(pieces[...])
        self.ending = ending
    }

    func next() async throws -> ArraySlice<UInt8>? {
        if let piece = pieces.withLock({ $0.popFirst() }) { return piece[...] }
        if let ending { throw ending }
        return nil
    }
}

/// A body that a test sends piece by piece, while the client reads it.
final class LiveBody: HTTPByteSource {
    private let (stream, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)

    func send(_ text: String) { continuation.yield(Array(text.utf8)) }

    func end(_ error: HTTPTransportError? = nil) { continuation.finish(throwing: error) }

    func next() async throws -> ArraySlice<UInt8>? {
        var iterator = stream.makeAsyncIterator()
        let piece = try await iterator.next()
        try Task.checkCancellation()
        return piece?[...]
    }
}

/// A door at which answers wait until a test opens it. If a waiting task is cancelled, it stays closed for the others.
final class Door: Sendable {
    private let gate = HTTPGate()

    func open() { gate.open() }

    /// Waits until the door is open.
    ///
    /// - Throws: A `CancellationError` if the task is cancelled.
    func pass() async throws { try await gate.pass() }
}
