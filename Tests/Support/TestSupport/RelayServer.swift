// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// Passes bytes between its clients and one port of this machine, until a test resets the connections.
public final class RelayServer: Sendable {
    public let port: UInt16
    private let destination: UInt16
    private let listener: LoopbackSocket
    private let connections = Mutex<[LoopbackSocket]>([])

    public init(to destination: UInt16) throws {
        self.destination = destination
        listener = try LoopbackSocket.listening()
        port = try listener.localPort()
        Thread.detachNewThread { [listener, self] in
            while let client = listener.accept() {
                guard let server = try? LoopbackSocket.connected(to: self.destination) else { continue }
                self.connections.withLock { $0 += [client, server] }
                Thread.detachNewThread { Self.copy(from: client, to: server) }
                Thread.detachNewThread { Self.copy(from: server, to: client) }
            }
        }
    }

    /// Accepts no more connections.
    public func stop() { listener.shutDown() }

    /// Resets every connection, on both sides.
    public func resetAll() {
        let connections = connections.withLock { connections in
            defer { connections = [] }
            return connections
        }
        for connection in connections { connection.reset() }
    }

    private static func copy(from source: LoopbackSocket, to destination: LoopbackSocket) {
        while let bytes = source.read(), destination.write(bytes) {}
        source.shutDown()
        destination.shutDown()
    }
}
