// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The address of a client of a listener.
struct PeerAddress: Sendable, Hashable {
    /// The numeric address; `nil` for a client of a Unix domain socket.
    var host: String?
    var port: UInt16 = 0
    /// The part of the address that one client has: an IPv4 address, or the first 64 bits of an IPv6 address (RFC 6177),
    /// because a client can use all addresses of its network. It is `nil` for a client of a Unix domain socket.
    private(set) var network: [UInt8]?

    static let unknown = PeerAddress(host: nil)

    /// Reads the address that `accept` returned.
    init(_ storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
            host = unsafe withUnsafeBytes(of: address.sin_addr) { unsafe Self.text(AF_INET, $0) }
            port = UInt16(bigEndian: address.sin_port)
            network = unsafe withUnsafeBytes(of: address.sin_addr) { unsafe Array($0) }
        case AF_INET6:
            let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in6.self) }
            host = unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe Self.text(AF_INET6, $0) }
            port = UInt16(bigEndian: address.sin6_port)
            let bytes = unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe Array($0) }
            // An IPv4 client of a socket for both (RFC 4291 §2.5.5.2).
            let isIPv4 = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            network = Array(isIPv4 ? bytes.suffix(4) : bytes.prefix(8))
        default:
            host = nil
        }
    }

    private init(host: String?) { self.host = host }

    @unsafe private static func text(_ family: Int32, _ address: UnsafeRawBufferPointer) -> String? {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(family, address.baseAddress, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension PeerAddress: CustomStringConvertible {
    var description: String {
        guard let host else { return "a Unix domain socket" }
        return (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
}
