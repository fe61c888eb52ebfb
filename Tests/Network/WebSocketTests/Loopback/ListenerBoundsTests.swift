// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

@testable import WebSocket

/// The limits of a listener (number 21), and the time that it gives to clients without a request (number 2).
@Suite(.inTurn(within: .seconds(60)))
struct ListenerBoundsTests {
    /// A listener that echoes, and the handlers of the connections that it has accepted.
    private struct Echo {
        let loops = WebSocketEventLoops()
        let accepted = EventLog<RecordingHandler>()
        let listener: WebSocketListener

        init(
            at address: WebSocketListener.Address = .loopback,
            _ set: (inout WebSocketListener.Configuration) -> Void
        ) async throws {
            var configuration = WebSocketListener.Configuration()
            configuration.connection.pingInterval = nil
            set(&configuration)
            let accepted = accepted
            listener = try await WebSocketListener.listen(at: address, configuration: configuration, on: loops) { _ in
                let handler = RecordingHandler.echo()
                accepted.record(handler)
                return .accept(handler)
            }
        }

        @discardableResult
        func dial(_ handler: RecordingHandler = RecordingHandler()) async throws -> WebSocketConnection {
            try await connect(to: listener.url, handler: handler, on: loops)
        }

        /// Dials until it is answered. On a busy machine, a loop that stands still for longer than the handshake
        /// timeout gives up this dial, too.
        func dialAgain() async throws {
            for _ in 0..<20 {
                do {
                    try await dial()
                    return
                } catch let error as WebSocketError where error.code == .connectionLost {
                    continue
                }
            }
            try await dial()
        }

        /// The status of a refused dial.
        func refusal() async -> Int? {
            await #expect(throws: WebSocketError.self) { try await dial() }?.response?.status
        }
    }

    private static let key: [UInt8] = [9, 8, 7, 6]

    private static func fragment(_ opcode: UInt8, _ count: Int, isFinal: Bool = false) -> RawFrame {
        RawFrame(opcode, .init(repeating: 66, count: count), isFinal: isFinal, maskingKey: key)
    }

    // MARK: Connections

    @Test func connectionsBeyondTheirNumberAreAnswered503() async throws {
        let echo = try await Echo { $0.maximumConnections = 2 }
        let first = try await echo.dial()
        try await echo.dial()
        #expect(await echo.refusal() == 503)
        #expect(await echo.refusal() == 503)
        first.close()
        _ = await echo.accepted.elements.first?.closure()
        try await echo.dial()
        #expect(await echo.refusal() == 503)
        await echo.loops.shutDown()
    }

    @Test func connectionsOfOnePeerBeyondTheirNumberAreAnswered503() async throws {
        let echo = try await Echo { $0.maximumConnectionsPerPeer = 2 }
        let first = try await echo.dial()
        try await echo.dial()
        #expect(await echo.refusal() == 503)
        first.close()
        _ = await echo.accepted.elements.first?.closure()
        try await echo.dial()
        #expect(await echo.refusal() == 503)
        await echo.loops.shutDown()
    }

    /// Sockets without a request do not count, neither in total nor for their address.
    @Test func openingsAreNoConnections() async throws {
        let echo = try await Echo {
            $0.maximumConnections = 1
            $0.maximumConnectionsPerPeer = 1
        }
        let port = echo.listener.port
        let silent = try (0..<5).map { _ in try RawSocket(connectingTo: port) }
        try await echo.dial()
        #expect(await echo.refusal() == 503)
        for socket in silent { socket.close() }
        await echo.loops.shutDown()
    }

    @Test func theNumbersCanBeUnlimited() async throws {
        let echo = try await Echo {
            $0.maximumConnections = .max
            $0.maximumConnectionsPerPeer = .max
        }
        for _ in 0..<3 { try await echo.dial() }
        await echo.loops.shutDown()
    }

    @Test func clientsOfAUnixSocketAreNotOnePeer() async throws {
        try await withTemporaryDirectory { folder in
            let echo = try await Echo(at: .unixSocket(folder + "/s")) { $0.maximumConnectionsPerPeer = 1 }
            for _ in 0..<3 { try await echo.dial() }
            await echo.loops.shutDown()
        }
    }

    /// Number 2: fifty sockets without a request, or with one for HTTP/2, and more than the listener accepts at a time.
    @Test(arguments: [4096, 1]) func idleSocketsAreClosed(maximumConnections: Int) async throws {
        let echo = try await Echo {
            $0.handshakeTimeout = .milliseconds(500)
            $0.maximumConnections = maximumConnections
        }
        let port = echo.listener.port
        let beginnings = [
            "", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n",
            "PRI * HTTP/2.0\r\n",
        ]
        let heard = try await BlockingThread.value { () -> [[UInt8]] in
            let sockets = try (0..<50).map { index in
                let socket = try RawSocket(connectingTo: port)
                try socket.send(beginnings[index % beginnings.count])
                return socket
            }
            return try sockets.map { try $0.waitForEnd() }
        }
        #expect(heard.allSatisfy { $0.isEmpty })
        #expect(echo.accepted.elements.isEmpty)
        try await echo.dialAgain()
        await echo.loops.shutDown()
    }

    /// Number 2: a byte now and then does not restart the time.
    @Test func socketsThatDribbleAreClosed() async throws {
        let echo = try await Echo { $0.handshakeTimeout = .milliseconds(500) }
        let port = echo.listener.port
        let patient = try await WebSocketListener.listen(on: echo.loops) { _ in .accept(RecordingHandler()) }
        let heart = try await Heart(patient.url, on: echo.loops)
        let start = ContinuousClock.now
        let sent = try await BlockingThread.value { () -> Int in
            let socket = try RawSocket(connectingTo: port)
            try socket.send("GET / HTTP/1.1\r\nX-Endless: ")
            return try socket.dribble(97, at: heart)
        }
        #expect(sent > 1)
        #expect(ContinuousClock.now - start < .seconds(20))
        try await echo.dialAgain()
        await echo.loops.shutDown()
    }

    // MARK: Unfinished messages

    @Test func unfinishedMessagesHaveASharedBudget() async throws {
        let echo = try await Echo { $0.unfinishedMessageBytes = 1 << 20 }
        let port = echo.listener.port
        let codes = try await BlockingThread.value { () -> [UInt16?] in
            let sockets = try (0..<3).map { _ in try RawSocket(connectingTo: port) }
            for socket in sockets { try socket.requestUpgrade() }
            func begin(_ socket: RawSocket, _ bytes: Int) throws {
                try socket.send(Self.fragment(RawFrame.Opcode.binary, bytes))
                try socket.send(RawFrame(RawFrame.Opcode.ping, [], maskingKey: Self.key))
            }
            try begin(sockets[0], 600_000)
            guard try sockets[0].readFrame()?.opcode == RawFrame.Opcode.pong else { throw RawSocketError.ended }
            // 1.2 MB together.
            try begin(sockets[1], 600_000)
            let refused = try sockets[1].readClose().closeCode
            // The bytes of the second are free again.
            try begin(sockets[2], 400_000)
            guard try sockets[2].readFrame()?.opcode == RawFrame.Opcode.pong else { throw RawSocketError.ended }
            // Whole messages do not count.
            for socket in [sockets[0], sockets[2]] {
                try socket.send(Self.fragment(RawFrame.Opcode.continuation, 10, isFinal: true))
                while try socket.readFrame()?.isFinal == false {}
            }
            try begin(sockets[0], 1_000_000)
            guard let last = try sockets[0].readFrame() else { throw RawSocketError.ended }
            return [refused, last.opcode == RawFrame.Opcode.pong ? nil : last.closeCode]
        }
        #expect(codes == [1013, nil])
        let closure = try #require(await echo.accepted.elements[1].closure())
        #expect(closure.initiator == .failure)
        #expect(closure.closeCode == .tryAgainLater)
        await echo.loops.shutDown()
    }

    /// A message, a frame, or a header without an end, with a byte now and then.
    @Test(arguments: [
        fragment(RawFrame.Opcode.text, 5).bytes, fragment(RawFrame.Opcode.text, 0).bytes,
        Array(fragment(RawFrame.Opcode.text, 60_000, isFinal: true).bytes.prefix(9)), [0x81],
    ])
    func anUnfinishedMessageHasItsTime(beginning: [UInt8]) async throws {
        let echo = try await Echo { $0.unfinishedMessageTimeout = .milliseconds(500) }
        let port = echo.listener.port
        let heart = try await Heart(echo.listener.url, on: echo.loops)
        let dribbles = beginning.count == 9
        let code = try await BlockingThread.value { () -> UInt16? in
            let socket = try RawSocket(connectingTo: port)
            try socket.requestUpgrade()
            try socket.send(beginning)
            if dribbles { _ = try socket.dribble(66, at: heart, times: 10) }
            return try socket.readClose().closeCode
        }
        #expect(code == 1008)
        // The first connection is that of the heart.
        #expect(await echo.accepted.elements[1].closure()?.webSocketError?.code == .protocolViolation)
        await echo.loops.shutDown()
    }

    /// Each read of a busy peer may end within a message. Each message has the full time.
    @Test func theTimeOfAMessageDoesNotCountForTheNext() async throws {
        let echo = try await Echo { $0.unfinishedMessageTimeout = .milliseconds(1500) }
        let port = echo.listener.port
        let opcodes = try await BlockingThread.value { () -> Set<UInt8> in
            let socket = try RawSocket(connectingTo: port)
            try socket.requestUpgrade()
            let message = Self.fragment(RawFrame.Opcode.binary, 10, isFinal: true).bytes
            try socket.send(message.prefix(8))
            var opcodes: Set<UInt8> = []
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .seconds(4),
                let frame = try { () -> RawFrame? in
                    try socket.send(message[8...] + message[..<8])
                    return try socket.readFrame()
                }()
            {
                opcodes.insert(frame.opcode)
                if frame.opcode == RawFrame.Opcode.close { break }
            }
            return opcodes
        }
        #expect(opcodes == [RawFrame.Opcode.binary])
        await echo.loops.shutDown()
    }
}

/// Beats about every ten milliseconds, each time after an answered PING. This shows that its event loop runs.
final class Heart: MessageReceiver {
    private let beats = Gate()

    init(_ url: String, on loops: WebSocketEventLoops, interval: Duration = .milliseconds(10)) async throws {
        var configuration = WebSocketConfiguration()
        configuration.pingInterval = interval
        try await connect(to: url, configuration: configuration, handler: self, on: loops)
    }

    /// Blocks until the next beat.
    func waitForBeat() throws { try beats.wait() }

    func transportOpened(_ transport: any MessageTransport) {}
    func messageReceived(_ message: InboundMessage) {}
    func outboxDrained() {}
    func roundTripMeasured(_ duration: Duration) { beats.open() }
    func transportClosed(_ closure: TransportClosure) {}
}

extension RawSocket {
    /// Sends a byte with each beat until the other side has closed. Returns the number of bytes that were sent.
    func dribble(_ byte: UInt8, at heart: Heart, times: Int = 3000) throws -> Int {
        for count in 0..<times {
            try heart.waitForBeat()
            do {
                try send([byte])
            } catch RawSocketError.system(let code) where code == 32 || code == 104 {
                return count
            }
        }
        return times
    }
}
