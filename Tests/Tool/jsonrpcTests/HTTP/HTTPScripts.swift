// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport

/// Servers of JSON-RPC over HTTP, for tests of the tool.
enum HTTPScripts {
    /// The bodies of the POSTs, in the order of arrival.
    typealias Bodies = EventLog<String>

    /// A server that runs `echo`, which returns its params, and `fail`, which returns error 7. Notifications get no
    /// response; a POST without any call is answered with 204.
    static func service(bodies: Bodies = Bodies(), status: String = "200 OK") throws -> RawHTTPServer {
        try RawHTTPServer { connection in
            while let head = try connection.readHead() {
                let body = try connection.readBody(of: head)
                bodies.record(String(decoding: body, as: UTF8.self))
                try connection.socket.send(answer(to: body, status: status))
            }
        }
    }

    /// A server that answers every POST with these bytes and then closes the connection.
    static func server(answering response: [UInt8]) throws -> RawHTTPServer {
        try RawHTTPServer { connection in
            guard let head = try connection.readHead() else { return }
            _ = try connection.readBody(of: head)
            try connection.socket.send(response)
        }
    }

    static func server(answering response: String) throws -> RawHTTPServer {
        try server(answering: Array(response.utf8))
    }

    /// A response with the status 200, for a server that then closes the connection.
    static func response(_ body: String) -> String { response("200 OK", body: body) }

    /// A response with `Content-Length`, for a server that then closes the connection. Without the field `Connection`,
    /// the tool could send its next request before it detects the end.
    static func response(_ status: String, _ fields: [String] = [], body: String) -> String {
        response(status, fields + ["Connection: close"], body)
    }

    private static func response(_ status: String, _ fields: [String], _ body: String) -> String {
        let fields = (fields + ["Content-Length: \(body.utf8.count)"]).map { $0 + "\r\n" }.joined()
        return "HTTP/1.1 \(status)\r\n\(fields)\r\n\(body)"
    }

    private static func answer(to body: [UInt8], status: String) throws -> String {
        let message = try RawJSON(validating: body).decode(as: JSONValue.self)
        let requests = message.arrayValue ?? [message]
        let responses = requests.compactMap(answer)
        guard !responses.isEmpty else { return "HTTP/1.1 204 No Content\r\n\r\n" }
        let text = responses.joined(separator: ",")
        return response(
            status, ["Content-Type: application/json"], message.arrayValue == nil ? text : "[\(text)]")
    }

    private static func answer(to request: JSONValue) -> String? {
        guard let id = request["id"] else { return nil }
        let outcome =
            request["method"]?.stringValue == "fail"
            ? #""error":{"code":7,"message":"seven"}"# : #""result":\#(request["params"] ?? .null)"#
        return #"{"jsonrpc":"2.0","id":\#(id),\#(outcome)}"#
    }
}

extension RawHTTPServer {
    /// The URL for the tool.
    var url: String { "http://\(authority)/rpc" }
}
