// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// A connected stream socket that is ready for TLS or for the opening handshake. Closes what nobody has taken.
final class ConnectedSocket: Sendable {
    private let descriptor: Mutex<Int32>
    /// Where it leads to, for messages.
    let peer: String

    init(descriptor: Int32, peer: String) {
        self.descriptor = Mutex(descriptor)
        self.peer = peer
    }

    deinit {
        let descriptor = take()
        if descriptor >= 0 { Self.close(descriptor) }
    }

    static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    /// The descriptor, which from now on is the caller's to close; -1 when it was taken before.
    func take() -> Int32 {
        descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
    }
}
