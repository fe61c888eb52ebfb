// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// A CONNECT request and its answer (RFC 9110 §9.3.6), over a socket that leads to a proxy.
struct ProxyTunnel {
    let credentials: BasicCredentials?
    /// The host and the port that the proxy is to connect to.
    let authority: String

    /// Sends CONNECT and reads the answer. Blocks until the proxy has answered.
    ///
    /// - Returns: The same socket. Only the answer's head, and informational answers before it, were read from it.
    func open(through socket: ConnectedSocket, _ abandonment: AbandonmentSignal) throws -> ConnectedSocket {
        let descriptor = socket.take()
        let stream = BlockingStream(descriptor: descriptor, abandonment: abandonment)
        do {
            try stream.send(request)
            try check(try answer(from: stream))
        } catch {
            close(descriptor)
            throw error
        }
        return ConnectedSocket(descriptor: descriptor, peer: "\(authority) by way of \(socket.peer)")
    }

    var request: [UInt8] {
        var head = HTTPHead(startLine: "CONNECT \(authority) HTTP/1.1", fields: [("Host", authority)])
        if let credentials { head.fields.append(("Proxy-Authorization", credentials.fieldValue)) }
        return head.bytes
    }

    private func answer(from stream: BlockingStream) throws -> HTTPStatusLine {
        var reader = ProxyAnswerReader()
        while true {
            var answer: HTTPStatusLine?
            let isOpen = try stream.take { bytes in
                let (count, complete) = try reader.read(bytes)
                answer = complete
                return count
            }
            if let answer { return answer }
            guard isOpen else {
                let reason = reader.isEmpty ? "without an answer" : "before its answer was complete"
                throw WebSocketError(.proxyFailed, "The proxy closed the connection \(reason).", isRetryable: true)
            }
        }
    }

    /// Checks the proxy's answer.
    ///
    /// - Throws: ``WebSocketError`` unless the answer's status is 2xx.
    func check(_ answer: HTTPStatusLine) throws(WebSocketError) {
        guard (200...299).contains(answer.status) else {
            let phrase = answer.phrase.isEmpty ? "" : " (\(String.printable(answer.phrase, limit: 128)))"
            throw WebSocketError(
                .proxyFailed, "The proxy refused to connect to \(authority): status \(answer.status)\(phrase).",
                systemError: nil, proxyStatus: answer.status)
        }
    }
}
