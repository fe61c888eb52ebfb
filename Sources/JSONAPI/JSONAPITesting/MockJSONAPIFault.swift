// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
public import HTTPRequestsTesting
import HTTPTypes
public import JSONAPI

/// A fault of a ``MockJSONAPIServer`` in one request.
public struct MockJSONAPIFault: Sendable {
    /// Makes the reply that replaces the server's own one.
    let reply: @Sendable (_ server: MockHTTPReply) -> MockHTTPReply

    /// The server does not perform the request. It answers with a status and errors, by default one with the status.
    public static func status(_ code: Int, errors: [JSONAPIErrorObject] = []) -> Self {
        .reply(
            MockHTTPReply { _ in
                ResourceStore.response(
                    errors.isEmpty ? Refusal(code, "The test has asked for this.") : Refusal(code, errors: errors))
            })
    }

    /// Another reply replaces the response. The server does not perform the request.
    public static func reply(_ reply: MockHTTPReply) -> Self { Self { _ in reply } }

    /// The server performs the request after a delay by the clock.
    public static func delay(_ duration: Duration, on clock: any HTTPClock) -> Self {
        Self { server in
            MockHTTPReply { request in
                try await clock.sleep(until: clock.now.advanced(by: duration))
                return try await server.answer(request)
            }
        }
    }

    /// The server performs the request when the test opens the gate.
    public static func held(by gate: HTTPGate) -> Self { Self { .held(by: gate, then: $0) } }

    /// The server performs the request, and its response has another media type.
    public static func contentType(_ value: String) -> Self {
        changing { $0.head.headerFields[.contentType] = value }
    }

    /// The server performs the request, and the body of its response is replaced.
    public static func body(_ text: String) -> Self {
        changing { $0.body = HTTPByteStream(Array(text.utf8)) }
    }

    /// The server performs the request, and the connection ends before the response arrives.
    public static var lostResponse: Self {
        changing { _ in
            throw HTTPTransportError(.connectionLost, "The test has asked for the loss of the response")
        }
    }

    private static func changing(_ change: @escaping @Sendable (inout ReceivedHTTPResponse) throws -> Void) -> Self {
        Self { server in
            MockHTTPReply { request in
                var response = try await server.answer(request)
                try change(&response)
                return response
            }
        }
    }
}
