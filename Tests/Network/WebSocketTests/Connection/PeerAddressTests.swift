// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn) struct PeerAddressTests {
    /// The address of a client as `accept` returns it.
    private func peer(_ text: String) throws -> PeerAddress {
        var storage = sockaddr_storage()
        try withUnsafeMutableBytes(of: &storage) { bytes in
            if text.contains(":") {
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                try #require(inet_pton(AF_INET6, text, &address.sin6_addr) == 1)
                withUnsafeBytes(of: address) { bytes.copyMemory(from: $0) }
            } else {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                try #require(inet_pton(AF_INET, text, &address.sin_addr) == 1)
                withUnsafeBytes(of: address) { bytes.copyMemory(from: $0) }
            }
        }
        return PeerAddress(storage)
    }

    @Test func theAddressesOfOneIPv6NetworkCountAsOne() throws {
        let network = try peer("2001:db8:1:2::1").network
        #expect(network?.count == 8)
        #expect(try peer("2001:db8:1:2:ffff:1:2:3").network == network)
        #expect(try peer("2001:db8:1:3::1").network != network)
        #expect(try peer("2001:db8:1:2::1").host == "2001:db8:1:2::1")
    }

    @Test func eachIPv4AddressCountsForItself() throws {
        #expect(try peer("192.0.2.1").network != peer("192.0.2.2").network)
        // A socket for both families reports an IPv4 client so.
        #expect(try peer("::ffff:192.0.2.1").network == peer("192.0.2.1").network)
        #expect(try peer("::ffff:192.0.2.2").network != peer("192.0.2.1").network)
        #expect(PeerAddress.unknown.network == nil)
    }
}
