// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// A proxy that supports only CONNECT, on 127.0.0.1 and a free port. Each connection has threads of its own.
public final class ProxyServer: Sendable {
    /// The reaction to a CONNECT request.
    public enum Behaviour: Sendable {
        /// Connects to the requested port on loopback, whatever the host, if the request has this value of
        /// Proxy-Authorization; `nil` accepts all requests.
        case tunnel(authorization: String?)
        /// Answers with these pieces, one write each, then closes.
        case answer([String])
        /// Reads, but never answers.
        case silence
        /// Closes after the request.
        case hangUp
    }

    public let port: UInt16
    private let behaviour: Behaviour
    private let listener: LoopbackSocket
    private let heads = Mutex<[String]>([])

    public init(_ behaviour: Behaviour) throws {
        self.behaviour = behaviour
        listener = try LoopbackSocket.listening()
        port = try listener.localPort()
        Thread.detachNewThread { [listener, self] in
            while let connection = listener.accept() {
                Thread.detachNewThread { self.serve(connection) }
            }
        }
    }

    /// The head of each request, in order.
    public var requests: [String] { heads.withLock { $0 } }

    /// Accepts no more connections. Established tunnels continue.
    public func stop() { listener.shutDown() }

    private func serve(_ client: LoopbackSocket) {
        guard let head = client.readHead() else { return }
        heads.withLock { $0.append(head) }
        switch behaviour {
        case .silence: while client.read() != nil {}
        case .hangUp: return
        case .answer(let pieces): for piece in pieces { client.write(Array(piece.utf8)) }
        case .tunnel(let authorization):
            let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("proxy-authorization: ") }
            // The name of a scheme is case-insensitive (RFC 9110 §11.1).
            let shown = field?.dropFirst(21).replacing("basic ", with: "Basic ", maxReplacements: 1)
            guard authorization == nil || shown == authorization?[...] else {
                client.write(
                    Array(
                        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\nno".utf8))
                return
            }
            tunnel(client, head)
        }
    }

    private func tunnel(_ client: LoopbackSocket, _ head: String) {
        let authority = head.split(separator: " ").dropFirst().first ?? ""
        guard let port = authority.split(separator: ":").last.flatMap({ UInt16($0) }),
            let server = try? LoopbackSocket.connected(to: port)
        else {
            client.write(Array("HTTP/1.1 502 Bad Gateway\r\n\r\n".utf8))
            return
        }
        client.write(Array("HTTP/1.1 200 Connection established\r\nVia: tests\r\n\r\n".utf8))
        Thread.detachNewThread { Self.copy(from: server, to: client) }
        Self.copy(from: client, to: server)
    }

    private static func copy(from source: LoopbackSocket, to destination: LoopbackSocket) {
        while let bytes = source.read(), destination.write(bytes) {}
        // The other direction's thread holds the sockets, too. This wakes it.
        source.shutDown()
        destination.shutDown()
    }
}
