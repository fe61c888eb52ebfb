// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import Sockets

@Suite(.inTurn) struct SocketAddressTests {
    private func peer(_ text: String) throws -> SocketAddress {
        try #require(SocketAddress(numericHost: text, port: 258))
    }

    @Test func theAddressesOfOneIPv6NetworkCountAsOne() throws {
        let network = try peer("2001:db8:1:2::1").network
        #expect(network?.count == 8)
        #expect(try peer("2001:db8:1:2:ffff:1:2:3").network == network)
        #expect(try peer("2001:db8:1:3::1").network != network)
        #expect(try "\(peer("2001:db8:1:2::1"))" == "[2001:db8:1:2::1]:258")
    }

    @Test func eachIPv4AddressCountsForItself() throws {
        #expect(try peer("192.0.2.1").network != peer("192.0.2.2").network)
        // A socket for both address families reports an IPv4 client in this form.
        #expect(try peer("::ffff:192.0.2.1").network == peer("192.0.2.1").network)
        #expect(try peer("::ffff:192.0.2.2").network != peer("192.0.2.1").network)
        #expect(SocketAddress(unixSocketPath: "/s")?.network == nil)
    }

    @Test func thePortIsThatOfTheAddress() throws {
        #expect(try peer("192.0.2.1").port == 258)
        #expect(try peer("2001:db8::1").port == 258)
        #expect(SocketAddress(unixSocketPath: "/s")?.port == 0)
    }
}
