// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

@testable import WebSocket

/// Peers that violate TLS.
@Suite(.inTurn(within: .seconds(60)))
struct TLSFaultTests {
    private func dial(_ port: Int, timeout: Duration = .seconds(60)) async -> WebSocketError? {
        let loops = WebSocketEventLoops()
        defer { Task { await loops.shutDown() } }
        var configuration = WebSocketConfiguration()
        configuration.proxy = .none
        configuration.connectTimeout = .seconds(60)
        configuration.tls = .insecure
        configuration.connectTimeout = timeout
        let chosen = configuration
        return await #expect(throws: WebSocketError.self) {
            _ = try await WebSocketConnection.connect(
                to: "wss://127.0.0.1:\(port)/", configuration: chosen, receiver: RecordingHandler(), on: loops)
        }
    }

    @Test func peerWithoutTLSIsTold() async throws {
        let peer = try RawPeer { socket in
            _ = try socket.read(5)
            try socket.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            _ = try? socket.readToEnd()
        }
        let error = await dial(peer.port)
        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("wrong version number") == true)
        try await peer.outcome()
    }

    @Test func peerThatHangsUpInTheHandshakeIsTold() async throws {
        let peer = try RawPeer { socket in _ = try socket.read(5) }
        #expect(await dial(peer.port)?.code == .tlsFailed)
    }

    @Test func peerThatResetsInTheHandshakeIsTold() async throws {
        let listener = try LoopbackSocket.listening()
        async let peer: Void = BlockingThread.value {
            let connection = try #require(listener.accept())
            #expect(connection.read() != nil)
            connection.resetOnClose()
        }
        let error = await dial(Int(try listener.localPort()))
        #expect(error?.code == .tlsFailed)
        try await peer
    }

    @Test func peerThatNeverAnswersTheHandshakeTimesOut() async throws {
        let listener = try LoopbackSocket.listening()
        let error = await dial(Int(try listener.localPort()), timeout: .milliseconds(100))
        #expect(error?.code == .connectTimeout)
    }

    /// OpenSSL writes to sockets in a way that raises SIGPIPE, which by default ends the process.
    @Test func resetUnderTLSDoesNotEndTheProcess() async throws {
        let certificates = try await Certificates.shared()
        let loops = WebSocketEventLoops(count: 2)
        var listening = WebSocketListener.Configuration()
        listening.tls = TLSListenerConfiguration(
            identity: TLSConfiguration.Identity(
                certificateChain: .file(certificates[.server].certificate), privateKey: .file(certificates[.server].key)
            ))
        let server = RecordingHandler()
        let listener = try await WebSocketListener.listen(configuration: listening, on: loops) { _ in .accept(server) }
        let relay = try RelayServer(to: UInt16(listener.port))
        var configuration = WebSocketConfiguration()
        configuration.proxy = .none
        configuration.connectTimeout = .seconds(60)
        configuration.tls = TLSConfiguration(trust: .only(.file(certificates.authority)))
        let client = RecordingHandler()
        let connection = try await WebSocketConnection.connect(
            to: "wss://localhost:\(relay.port)/", configuration: configuration, receiver: client, on: loops)
        _ = await server.events.first { $0.isOpened }
        relay.resetAll()
        // Both sides write to closed sockets until both know.
        try await yieldUntil("the client knows of the end") { (try? connection.send(text: "x")) == nil }
        if let serverSide = server.connection {
            try await yieldUntil("the server knows of the end") { (try? serverSide.send(text: "x")) == nil }
        }
        #expect(await client.closure()?.initiator == .failure)
        #expect(await server.closure()?.initiator == .failure)
        await loops.shutDown()
    }

    /// It runs in its own process: libwebsockets changes the disposition for a moment, visible to other tests.
    @Test(.startsProcess) func dispositionOfBrokenPipesIsTheProgramsOwn() async {
        await #expect(processExitsWith: .success) {
            // The handler is the first field of the structure; the rest is not always set.
            func handler() -> [UInt8] {
                var disposition = sigaction()
                sigaction(SIGPIPE, nil, &disposition)
                return withUnsafeBytes(of: disposition) { Array($0.prefix(MemoryLayout<UInt>.size)) }
            }
            let before = handler()
            let loops = WebSocketEventLoops()
            let listener = try await WebSocketListener.listen(on: loops) { _ in .refuse(status: 403) }
            await listener.stop()
            #expect(handler() == before)
            await loops.shutDown()
        }
    }
}
