// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import TestSupport
import TestTurns
import Testing

@testable import Sockets

@Suite(.inTurn(within: .seconds(60))) struct SocketDialerTests {
    private let loopback = URLHost.ipv4("127.0.0.1")

    /// A port that refuses connections as long as the socket lives: it is bound, but does not listen.
    private func refusingPort() throws -> (port: UInt16, holder: LoopbackSocket) {
        let holder = try LoopbackSocket.bound()
        return (try holder.localPort(), holder)
    }

    private func error(_ body: () async throws -> Void) async -> SocketError? {
        await #expect(throws: SocketError.self) { try await body() }
    }

    @Test func addressIsConnectedTo() async throws {
        let listener = try LoopbackSocket.listening()
        let route = DialRoute.direct(host: loopback, port: try listener.localPort())
        let socket = try await SocketDialer().dial(route, tls: nil, until: nil).socket
        let accepted = try #require(listener.accept())
        accepted.write([42])
        let stream = try LoopbackSocket(taking: socket.take(), blocking: true)
        #expect(stream.read() == [42])
        #expect(socket.take() == -1)
    }

    @Test func ipv6AddressIsConnectedTo() async throws {
        let listener = try LoopbackSocket.listening(ipv6: true)
        let route = DialRoute.direct(host: .ipv6("::1", zone: nil), port: try listener.localPort())
        let socket = try await SocketDialer().dial(route, tls: nil, until: nil).socket
        #expect(socket.peer.hasPrefix("[::1]:"))
    }

    @Test func untakenSocketIsClosed() async throws {
        let listener = try LoopbackSocket.listening()
        let route = DialRoute.direct(host: loopback, port: try listener.localPort())
        _ = try await SocketDialer().dial(route, tls: nil, until: nil).socket
        #expect(try #require(listener.accept()).read() == nil)
    }

    @Test func refusalNamesTheAddressAndTheCause() async throws {
        let (port, holder) = try refusingPort()
        let error = await error {
            _ = try await SocketDialer().dial(.direct(host: loopback, port: port), tls: nil, until: nil).socket
        }
        #expect(error?.code == .connectFailed)
        #expect(error?.systemError == ECONNREFUSED)
        #expect(error?.message.contains("127.0.0.1:\(port): Connection refused") == true)
        withExtendedLifetime(holder) {}
    }

    @Test func nextAddressIsTriedAtOnce() async throws {
        let (refusing, holder) = try refusingPort()
        let listener = try LoopbackSocket.listening()
        let port = try listener.localPort()
        let addresses =
            try SocketAddress.lookUp(loopback, refusing) + SocketAddress.lookUp(loopback, port)
        // The second attempt must not wait for the first one's lead.
        let dialer = SocketDialer(lookUp: { _, _ in addresses }, attemptDelay: .seconds(3600))
        let socket = try await dialer.dial(.direct(host: .name("two.test"), port: port), tls: nil, until: nil).socket
        #expect(socket.peer == "127.0.0.1:\(port)")
        withExtendedLifetime(holder) {}
    }

    @Test func silentAddressDoesNotHoldUpTheNext() async throws {
        // A listener whose backlog is full leaves further connections without an answer.
        let silent = try LoopbackSocket.listening(backlog: 0)
        let silentPort = try silent.localPort()
        let fillers = try (0..<2).map { _ in try LoopbackSocket.connecting(to: silentPort) }
        let listener = try LoopbackSocket.listening()
        let port = try listener.localPort()
        let addresses =
            try SocketAddress.lookUp(loopback, silentPort) + SocketAddress.lookUp(loopback, port)
        let dialer = SocketDialer(lookUp: { _, _ in addresses }, attemptDelay: .milliseconds(10))
        let socket = try await dialer.dial(.direct(host: .name("two.test"), port: port), tls: nil, until: nil).socket
        #expect(socket.peer == "127.0.0.1:\(port)")
        withExtendedLifetime(fillers) {}
    }

    /// Such a connection was established, and kept the port from the server that was about to listen there.
    @Test func connectionToItselfIsARefusal() throws {
        let socket = try LoopbackSocket.bound()
        let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: try socket.localPort()))
        #expect(address.connect(socket.descriptor) == 0)
        #expect(ConnectionRace.outcome(of: socket.descriptor) == ECONNREFUSED)
        let listener = try LoopbackSocket.listening()
        let connection = try LoopbackSocket.connected(to: try listener.localPort())
        #expect(ConnectionRace.outcome(of: connection.descriptor) == 0)
    }

    /// A DNS answer may hold thousands of addresses. The attempts and the message are bounded.
    @Test func addressesWithoutEndAreCutOff() async throws {
        let (port, holder) = try refusingPort()
        let addresses = try (0..<2000).flatMap {
            try SocketAddress.lookUp(.ipv4("127.0.\($0 / 250).\($0 % 250 + 1)"), port)
        }
        let dialer = SocketDialer(lookUp: { _, _ in addresses })
        let error = await error {
            _ = try await dialer.dial(.direct(host: .name("many.test"), port: port), tls: nil, until: nil).socket
        }
        #expect(error?.code == .connectFailed)
        #expect(error?.message.contains("24 more addresses failed; 1968 addresses were not tried") == true)
        #expect((error?.message.utf8.count ?? .max) < 1000)
        withExtendedLifetime(holder) {}
    }

    /// Defect 22: decoded escapes of a URL reached the terminal.
    @Test func unixSocketsPathIsEscaped() async {
        let error = await error {
            _ = try await SocketDialer().dial(.unixSocket(path: "/nonexistent/\u{1B}[31m\n"), tls: nil, until: nil)
                .socket
        }
        #expect(error?.message.contains("/nonexistent/\\u{1B}[31m\\n") == true)
    }

    @Test func unresolvableNameIsTold() async {
        // RFC 6761 reserves `.invalid`, which has no addresses.
        let error = await error {
            _ = try await SocketDialer().dial(.direct(host: .name("nowhere.invalid"), port: 1), tls: nil, until: nil)
                .socket
        }
        #expect(error?.code == .nameNotResolved)
        #expect(error?.message.contains("nowhere.invalid") == true)
    }

    @Test func missingUnixSocketIsTold() async {
        let error = await error {
            _ = try await SocketDialer().dial(.unixSocket(path: "/nonexistent/s.sock"), tls: nil, until: nil).socket
        }
        #expect(error?.code == .connectFailed)
        #expect(error?.systemError == ENOENT)
        #expect(error?.message.contains("/nonexistent/s.sock") == true)
    }

    @Test func deadlineEndsAResolverThatHangs() async {
        let release = DispatchSemaphore(value: 0)
        let dialer = SocketDialer { (_, _) throws(SocketError) in
            release.wait()
            throw SocketError(.nameNotResolved, "late")
        }
        let error = await error {
            _ = try await dialer.dial(
                .direct(host: .name("h"), port: 1), tls: nil, until: .now + .milliseconds(20)
            ).socket
        }
        #expect(error?.code == .connectTimeout)
        release.signal()
    }

    @Test func cancellationEndsAResolverThatHangs() async throws {
        let release = DispatchSemaphore(value: 0)
        let (isLookingUp, lookUpStarts) = AsyncStream<Void>.makeStream()
        let dialer = SocketDialer { (_, _) throws(SocketError) in
            lookUpStarts.finish()
            release.wait()
            throw SocketError(.nameNotResolved, "late")
        }
        let dial = Task {
            try await dialer.dial(.direct(host: .name("h"), port: 1), tls: nil, until: nil).socket
        }
        for await _ in isLookingUp {}
        dial.cancel()
        await #expect(throws: CancellationError.self) { try await dial.value }
        release.signal()
    }

    @Test func cancelledTaskDoesNotDial() async throws {
        let dial = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await SocketDialer().dial(.direct(host: loopback, port: 1), tls: nil, until: nil).socket
        }
        await #expect(throws: CancellationError.self) { try await dial.value }
    }

    // MARK: Proxies

    private func dial(through proxy: ProxyServer, credentials: String = "", to port: UInt16) async throws
        -> ConnectedSocket
    {
        let proxy = try HTTPProxy("http://\(credentials)127.0.0.1:\(proxy.port)")
        return try await SocketDialer().dial(.proxy(proxy, host: .name("h.test"), port: port), tls: nil, until: nil)
            .socket
    }

    @Test func proxyConnectsByName() async throws {
        let listener = try LoopbackSocket.listening()
        let port = try listener.localPort()
        let proxy = try ProxyServer(.tunnel(authorization: nil))
        let socket = try await dial(through: proxy, to: port)
        try #require(listener.accept()).write([7])
        #expect(try LoopbackSocket(taking: socket.take(), blocking: true).read() == [7])
        #expect(proxy.requests == ["CONNECT h.test:\(port) HTTP/1.1\r\nHost: h.test:\(port)\r\n\r\n"])
    }

    @Test func proxyGetsCredentials() async throws {
        let listener = try LoopbackSocket.listening()
        let proxy = try ProxyServer(.tunnel(authorization: "Basic dXNlcjpwYXNz"))
        _ = try await dial(through: proxy, credentials: "user:pass@", to: try listener.localPort())
        #expect(proxy.requests.count == 1)
    }

    @Test func missingCredentialsAreTold() async throws {
        let proxy = try ProxyServer(.tunnel(authorization: "Basic dXNlcjpwYXNz"))
        let error = await error { _ = try await dial(through: proxy, credentials: "user:wrong@", to: 1) }
        #expect(error?.code == .proxyFailed)
        #expect(error?.proxyStatus == 407)
        #expect(error?.message.contains("Proxy Authentication Required") == true)
        #expect(error?.message.contains("wrong") == false)
    }

    @Test func splitAnswerIsTaken() async throws {
        let proxy = try ProxyServer(.answer(["HT", "TP/1.0 20", "0 OK\r\n", "X: y\r", "\n\r", "\nrest"]))
        let socket = try await dial(through: proxy, to: 1)
        // The bytes after the head stay in the socket.
        #expect(try LoopbackSocket(taking: socket.take(), blocking: true).read() == Array("rest".utf8))
    }

    @Test(arguments: ["hello\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 x\r\n\r\n", "HTTP/1.1 99 x\r\n\r\n", "\n\n"])
    func answerThatIsNotHTTPIsTold(_ answer: String) async throws {
        let proxy = try ProxyServer(.answer([answer]))
        #expect(await error { _ = try await dial(through: proxy, to: 1) }?.code == .proxyFailed)
    }

    @Test func proxyThatHangsUpIsTold() async throws {
        let proxy = try ProxyServer(.hangUp)
        #expect(await error { _ = try await dial(through: proxy, to: 1) }?.code == .proxyFailed)
    }

    @Test func endlessAnswerIsCutOff() async throws {
        let proxy = try ProxyServer(.answer([String(repeating: "HTTP/1.1 200 ", count: 4000)]))
        #expect(await error { _ = try await dial(through: proxy, to: 1) }?.code == .proxyFailed)
    }

    @Test func deadlineEndsASilentProxy() async throws {
        let server = try ProxyServer(.silence)
        let proxy = try HTTPProxy("127.0.0.1:\(server.port)")
        let error = await error {
            _ = try await SocketDialer().dial(
                .proxy(proxy, host: .name("h"), port: 1), tls: nil, until: .now + .milliseconds(20)
            ).socket
        }
        #expect(error?.code == .connectTimeout)
    }

    @Test func unreachableProxyIsNamed() async throws {
        let (port, holder) = try refusingPort()
        let proxy = try HTTPProxy("127.0.0.1:\(port)")
        let error = await error {
            _ = try await SocketDialer().dial(.proxy(proxy, host: .name("h"), port: 1), tls: nil, until: nil).socket
        }
        #expect(error?.code == .connectFailed)
        #expect(error?.message.hasPrefix("Could not connect to the proxy 127.0.0.1:\(port)") == true)
        withExtendedLifetime(holder) {}
    }

    // MARK: Order

    @Test func familiesAreInterleaved() throws {
        let v4 = try (1...3).flatMap { try SocketAddress.lookUp(.ipv4("127.0.0.\($0)"), 1) }
        let v6 = try (1...2).flatMap { try SocketAddress.lookUp(.ipv6("::\($0)", zone: nil), 1) }
        #expect(SocketAddress.interleaved(v6 + v4) == [v6[0], v4[0], v6[1], v4[1], v4[2]])
        #expect(SocketAddress.interleaved(v4 + v6 + v4) == [v4[0], v6[0], v4[1], v6[1], v4[2]])
        #expect(SocketAddress.interleaved([]).isEmpty)
    }
}
