// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCHTTP
import HTTPTypes

/// Shows each POST and its answer on standard error, and passes them on: `*` for heads, `-->` for the bodies of POSTs,
/// `<--` for the bodies of answers.
struct PostTrace: HTTPTransport {
    let transport: any HTTPTransport
    let trace: MessageTrace
    /// The secrets to leave out. The values of `-H` are among them.
    let redaction: HTTPRedaction

    /// Makes a trace that leaves out the values of these header fields.
    init(_ transport: any HTTPTransport, _ trace: MessageTrace, hiding fields: HTTPFields) {
        self.transport = transport
        self.trace = trace
        var redaction = HTTPRedaction.standard
        redaction.fieldNames.formUnion(fields.map(\.name))
        self.redaction = redaction
    }

    func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        trace.happened(HTTPHeadText.describe(request, redacting: redaction))
        if case .bytes(let bytes)? = body?.content { trace.sent(bytes) }
        let response = try await transport.send(request, body: body, context: context)
        trace.happened(HTTPHeadText.describe(response.head, redacting: redaction))
        response.body.mapSource { TracedBody($0, trace) }
        return response
    }
}

/// A body that is shown when it was read to its end, or when it is released, as far as it was read.
private actor TracedBody: HTTPByteSource {
    private var source: any HTTPByteSource
    private let trace: MessageTrace
    private var unshown: [UInt8] = []

    init(_ source: any HTTPByteSource, _ trace: MessageTrace) { (self.source, self.trace) = (source, trace) }

    deinit {
        if !unshown.isEmpty { trace.received(unshown) }
    }

    func next() async throws -> ArraySlice<UInt8>? {
        // A property of an actor cannot change during an `await`, so a copy changes. Calls never overlap.
        var source = source
        defer { self.source = source }
        if let piece = try await source.next() {
            unshown += piece
            return piece
        }
        if !unshown.isEmpty { trace.received(unshown) }
        unshown = []
        return nil
    }
}
