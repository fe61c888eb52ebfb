// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A CONNECT request and its answer (RFC 9110 §9.3.6), over a socket that leads to a proxy.
struct ProxyTunnel {
    let credentials: BasicCredentials?
    /// Host and port to ask for.
    let authority: String

    /// Blocks until the proxy has answered. Gives back the same socket, from which exactly the answer's head was read,
    /// with the informational answers before it.
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
        var text = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
        if let credentials { text += "Proxy-Authorization: \(credentials.fieldValue)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    private func answer(from stream: BlockingStream) throws -> ProxyAnswer {
        var reader = ProxyAnswerReader()
        while true {
            var answer: ProxyAnswer?
            let isOpen = try stream.take { bytes in
                let (count, complete) = try reader.read(bytes)
                answer = complete
                return count
            }
            if let answer { return answer }
            guard isOpen else {
                let reason = reader.isEmpty ? "without an answer" : "before its answer was complete"
                throw WebSocketError(.proxyFailed, "The proxy closed the connection \(reason).")
            }
        }
    }

    /// - Throws: ``WebSocketError`` unless the answer's status is 2xx.
    func check(_ answer: ProxyAnswer) throws(WebSocketError) {
        guard (200...299).contains(answer.status) else {
            let phrase = answer.phrase.isEmpty ? "" : " (\(String.printable(answer.phrase, limit: 128)))"
            throw WebSocketError(
                .proxyFailed, "The proxy refused to connect to \(authority): status \(answer.status)\(phrase).",
                systemError: nil, proxyStatus: answer.status)
        }
    }
}
