// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import WireJSON

/// A JSON-RPC server behind a proxy. It answers each call with the first of its params.
final class Upstream: Sendable {
    /// The first params of the calls that were executed, in order.
    let executed: EventLog<JSONValue>
    private let server: RawHTTPServer

    var port: Int { server.port }

    init() throws {
        let executed = EventLog<JSONValue>()
        self.executed = executed
        server = try RawHTTPServer { connection in
            guard let head = try connection.readHead() else { return }
            let answer = Self.answer(try connection.readBody(of: head), executed)
            let fields = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            switch head.split(separator: " ").dropFirst().first {
            case "/cut":
                try connection.socket.send(fields + "Content-Length: \(answer.utf8.count)\r\n\r\n")
                try connection.socket.send(String(answer.prefix(20)))
            case "/cut-chunks":
                try connection.socket.send(fields + "Transfer-Encoding: chunked\r\n\r\n14\r\n\(answer.prefix(20))\r\n")
            case "/no-answer": break
            default:
                try connection.socket.send(fields + "Content-Length: \(answer.utf8.count)\r\n\r\n\(answer)")
            }
        }
    }

    private static func answer(_ body: [UInt8], _ executed: EventLog<JSONValue>) -> String {
        guard let message = try? JSONValue(parsing: body) else { return "" }
        let answers = (message.arrayValue ?? [message]).map { call in
            let param = call["params"]?[0] ?? .null
            executed.record(param)
            return FakeServer.Reply.response(call["id"] ?? .null, #""result":\#(param)"#)
        }
        return message.arrayValue == nil ? answers.joined() : "[\(answers.joined(separator: ","))]"
    }
}
