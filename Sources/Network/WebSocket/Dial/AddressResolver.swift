// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// A resolver of host names.
///
/// The system's resolver has no deadline and cannot be stopped. So it runs on a thread of its own, and the dial stops
/// waiting for that thread at its deadline: see ``DialWork``.
struct AddressResolver: Sendable {
    /// Returns the addresses of a host. Blocks until they are known.
    var lookUp: @Sendable (_ host: URLHost, _ port: UInt16) throws(WebSocketError) -> [SocketAddress]

    /// The system's resolver, `getaddrinfo`.
    static let system = AddressResolver { (host, port) throws(WebSocketError) in
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV
        switch host {
        case .name: break
        case .ipv4, .ipv6: unsafe hints.ai_flags |= AI_NUMERICHOST
        }
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host.lookUpName, String(port), &hints, &list)
        let systemError = result == EAI_SYSTEM ? errno : nil
        defer { unsafe list.map { unsafe freeaddrinfo($0) } }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let info = unsafe next {
            if let address = unsafe SocketAddress(info.pointee) { addresses.append(address) }
            unsafe next = info.pointee.ai_next
        }
        guard result == 0, !addresses.isEmpty else { throw failure(host, result, systemError) }
        return SocketAddress.interleaved(addresses)
    }

    /// Makes the error for a name that was not resolved.
    ///
    /// - Parameter result: The result of `getaddrinfo`; 0 if it found no address.
    static func failure(_ host: URLHost, _ result: Int32, _ systemError: Int32?) -> WebSocketError {
        let reason = unsafe result == 0 ? "it has no address" : String(cString: gai_strerror(result))
        return WebSocketError(
            .nameNotResolved, "Could not resolve the name \(host.lookUpName): \(reason).", systemError: systemError,
            isRetryable: [EAI_AGAIN, EAI_MEMORY, EAI_SYSTEM].contains(result))
    }
}
