// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The protocol table of a vhost: our callback under a name of our own, and once for each subprotocol.
///
/// lws keeps the addresses for as long as the vhost lives, so this is kept as long as the context.
@safe final class LWSVhostProtocols {
    /// The name of the protocol that stands for none. Not a token (RFC 7230 §3.2.6), so no peer can ask for it.
    static let noneName = "(none)"

    @unsafe let protocols: UnsafeMutablePointer<lws_protocols>
    private let count: Int

    init(subprotocols: [String]) {
        let names = [Self.noneName] + subprotocols
        count = names.count
        // The table ends with an empty entry.
        unsafe protocols = .allocate(capacity: names.count + 1)
        for (index, name) in names.enumerated() {
            var entry = unsafe lws_protocols()
            unsafe entry.name = UnsafePointer(strdup(name))
            unsafe entry.callback = lwsCallback
            unsafe entry.rx_buffer_size = LWSContext.receiveBufferBytes
            // Else lws cuts our writes at the receive buffer's size and copies the rest.
            unsafe entry.tx_packet_size = FrameBuffer.maximumChunkBytes
            unsafe (protocols + index).initialize(to: entry)
        }
        unsafe (protocols + names.count).initialize(to: lws_protocols())
    }

    deinit {
        for index in 0..<count {
            unsafe free(UnsafeMutablePointer(mutating: protocols[index].name))
        }
        unsafe protocols.deallocate()
    }
}
