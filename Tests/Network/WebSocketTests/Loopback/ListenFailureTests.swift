// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Addresses on which listening fails, and the errors.
@Suite(.inTurn(within: .seconds(60)))
struct ListenFailureTests {
    private func failure(_ host: String, _ port: Int) async -> WebSocketError? {
        let loops = WebSocketEventLoops()
        let error = await #expect(throws: WebSocketError.self) {
            _ = try await WebSocketListener.listen(at: .host(host, port: port), on: loops) { _ in
                .refuse(status: 500)
            }
        }
        await loops.shutDown()
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

    @Test func aRefusalHasItsReasonAndItsFields() async throws {
        let head = try await answer(
            to: WebSocketListener.UpgradeRefusal(
                status: 401, reason: "Log in first.",
                headers: [("WWW-Authenticate", "Bearer"), ("Content-Type", "text/markdown")]))
        #expect(head.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
        #expect(RawSocket.field("WWW-Authenticate", in: head) == "Bearer")
        #expect(RawSocket.field("Content-Type", in: head) == "text/markdown")
        #expect(RawSocket.field("Content-Length", in: head) == "14")
        #expect(RawSocket.field("Connection", in: head) == "close")
    }

    /// A field from a peer cannot split the answer.
    @Test(arguments: [("X", "a\r\nSet-Cookie: b"), ("a b", "c"), ("Content-Length", "1"), ("Connection", "keep-alive")])
    func aFieldThatCannotBeSentBecomes500(name: String, value: String) async throws {
        let head = try await answer(to: WebSocketListener.UpgradeRefusal(status: 401, headers: [(name, value)]))
        #expect(head.hasPrefix("HTTP/1.1 500 "))
        #expect(!head.contains("Cookie"))
    }

    private func answer(to refusal: WebSocketListener.UpgradeRefusal) async throws -> String {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .refuse(refusal) }
        let port = listener.port
        let head = try await BlockingThread.value { try RawSocket(connectingTo: port).requestUpgrade() }
        await loops.shutDown()
        return head
    }

    @Test(arguments: [(-1, 500), (0, 500), (101, 500), (600, 500), (Int.max, 500), (403, 403), (599, 599)])
    func aStatusThatIsNoneBecomes500(status: Int, answered: Int) async throws {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .refuse(status: status) }
        let port = listener.port
        let head = try await BlockingThread.value { try RawSocket(connectingTo: port).requestUpgrade() }
        #expect(head.split(separator: " ").dropFirst().first == "\(answered)")
        await loops.shutDown()
    }
}
