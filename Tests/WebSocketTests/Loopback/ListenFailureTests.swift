// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Where nobody can listen, and what the error says.
@Suite(.inTurn(within: .seconds(60)))
struct ListenFailureTests {
    private func failure(_ host: String, _ port: Int) async -> WebSocketError? {
        let loops = WebSocketEventLoops()
        let error = await #expect(throws: WebSocketError.self) {
            _ = try await WebSocketListener.listen(at: .host(host, port: port), on: loops) { _ in
                .refuse(status: 500)
            }
        }
        await loops.shutdown()
        return error
    }

    @Test(arguments: [-1, 65_536, 70_000, Int.max, Int.min])
    func aPortThatIsNoneIsAnError(port: Int) async {
        let error = await failure("127.0.0.1", port)
        #expect(error?.code == .listenFailed)
        #expect(error?.message.contains("\(port)") == true)
    }

    @Test(arguments: ["localhost", "lo", "", "[::1]", "127.1", "fe80::1%lo", "127.0.0.1:80"])
    func aHostThatIsNoNumericAddressIsAnError(host: String) async {
        let error = await failure(host, 0)
        #expect(error?.code == .listenFailed)
        #expect(error?.message.contains("numeric") == true)
    }

    @Test(arguments: [false, true])
    func aPortInUseIsNamedAsTheReason(ipv6: Bool) async throws {
        let other = try LoopbackSocket.listening(ipv6: ipv6)
        let error = await failure(ipv6 ? "::1" : "127.0.0.1", try Int(other.localPort()))
        #expect(error?.code == .listenFailed)
        #expect(error?.systemError == EADDRINUSE)
        #expect(error?.message.contains(String(cString: strerror(EADDRINUSE))) == true)
    }

    /// An address for documentation (RFC 5737), which no machine has.
    @Test func anAddressOfAnotherMachineIsNamedAsTheReason() async {
        let error = await failure("192.0.2.1", 0)
        #expect(error?.code == .listenFailed)
        #expect(error?.systemError == EADDRNOTAVAIL)
    }

    @Test(arguments: [(-1, 500), (0, 500), (101, 500), (600, 500), (Int.max, 500), (403, 403), (599, 599)])
    func aStatusThatIsNoneBecomes500(status: Int, answered: Int) async throws {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .refuse(status: status) }
        let port = listener.port
        let head = try await BlockingThread.value { try RawSocket(connectingTo: port).requestUpgrade() }
        #expect(head.split(separator: " ").dropFirst().first == "\(answered)")
        await loops.shutdown()
    }
}
