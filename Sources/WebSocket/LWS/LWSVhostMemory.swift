// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What lws keeps the addresses of for as long as a vhost lives: its protocol table, with our callback under a name of
/// our own and once for each subprotocol, and its strings.
@safe final class LWSVhostMemory {
    /// The name of the protocol that stands for none. Not a token (RFC 7230 §3.2.6), so no peer can ask for it.
    static let noneName = "(none)"

    @unsafe let protocols: UnsafeMutablePointer<lws_protocols>
    private let count: Int
    @unsafe private var strings: [UnsafeMutablePointer<CChar>] = unsafe []

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

    /// What the vhost listens at, which lws compares.
    @unsafe var interface: UnsafeMutablePointer<CChar>?

    /// A copy that lives as long as this.
    @unsafe func string(_ text: String) -> UnsafeMutablePointer<CChar>? {
        guard let copy = unsafe strdup(text) else { return nil }
        unsafe strings.append(copy)
        return unsafe copy
    }

    /// Makes lws take the vhost for one that listens nowhere: it would let a new listener at the same place use this one's
    /// socket.
    func forgetInterface() {
        guard let interface = unsafe interface else { return }
        unsafe interface.pointee = 0
    }

    /// Keeps this until lws has destroyed the vhost that is made with `info`, which it does some time after it was told.
    /// When there will be no vhost, lws may or may not say so, and this stays for good.
    func keep(with info: inout lws_context_creation_info) {
        // Retained for the vhost; lws calls `finalize` at most once, as the last thing it does with the vhost.
        unsafe info.finalize_arg = Unmanaged.passRetained(self).toOpaque()
        unsafe info.finalize = { _, argument in
            guard let argument = unsafe argument else { return }
            // Gives up the retain made above.
            unsafe Unmanaged<LWSVhostMemory>.fromOpaque(argument).release()
        }
    }

    deinit {
        unsafe strings.forEach { unsafe free($0) }
        for index in 0..<count {
            unsafe free(UnsafeMutablePointer(mutating: protocols[index].name))
        }
        unsafe protocols.deallocate()
    }
}
