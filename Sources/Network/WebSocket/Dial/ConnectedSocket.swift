// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// A connected stream socket that is ready for TLS or for the opening handshake. It closes the descriptor when it is
/// freed, unless the descriptor was taken.
final class ConnectedSocket: Sendable {
    private let descriptor: Atomic<Int32>
    /// The name of the other end, for messages.
    let peer: String

    init(descriptor: Int32, peer: String) {
        self.descriptor = Atomic(descriptor)
        self.peer = peer
    }

    deinit {
        let descriptor = take()
        if descriptor >= 0 { Self.close(descriptor) }
    }

    static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    /// Takes the descriptor, which the caller must close.
    ///
    /// - Returns: The descriptor; -1 if it was taken before.
    func take() -> Int32 { descriptor.exchange(-1, ordering: .acquiringAndReleasing) }
}
