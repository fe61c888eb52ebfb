// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// The role of the connection under test. A script plays the other role, byte by byte.
enum TestedRole: Sendable, CaseIterable {
    case client, listener

    /// The outcome of a connection.
    struct Run<Outcome: Sendable>: Sendable {
        var outcome: Outcome
        var closure: TransportClosure
        var events: [HandlerEvent]
    }

    /// Runs a script against a connection of this role, from the opening handshake to the end of the connection.
    func run<Outcome: Sendable>(
        _ configuration: WebSocketConfiguration = WebSocketConfiguration(),
        handler: RecordingHandler = RecordingHandler(), on shared: WebSocketEventLoops? = nil,
        script: @escaping @Sendable (ScriptedSide) throws -> Outcome
    ) async throws -> Run<Outcome> {
        let loops = shared ?? WebSocketEventLoops()
        let outcome: Outcome
        switch self {
        case .client: outcome = try await runAsServer(configuration, handler, loops, script)
        case .listener: outcome = try await runAsClient(configuration, handler, loops, script)
        }
        let closure = try #require(await handler.closure())
        if shared == nil { await loops.shutDown() }
        return Run(outcome: outcome, closure: closure, events: handler.events.elements)
    }

    private static let deflate = "Sec-WebSocket-Extensions: permessage-deflate"

    private func runAsServer<Outcome: Sendable>(
        _ configuration: WebSocketConfiguration, _ handler: RecordingHandler, _ loops: WebSocketEventLoops,
        _ script: @escaping @Sendable (ScriptedSide) throws -> Outcome
    ) async throws -> Outcome {
        let fields = configuration.compression ? [Self.deflate] : []
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade(adding: fields)
            return try script(ScriptedSide(socket: socket, maskingKey: nil))
        }
        try await connect(to: peer.url, configuration: configuration, handler: handler, on: loops)
        return try await peer.outcome()
    }

    private func runAsClient<Outcome: Sendable>(
        _ configuration: WebSocketConfiguration, _ handler: RecordingHandler, _ loops: WebSocketEventLoops,
        _ script: @escaping @Sendable (ScriptedSide) throws -> Outcome
    ) async throws -> Outcome {
        var listening = WebSocketListener.Configuration()
        listening.connection = configuration
        let listener = try await WebSocketListener.listen(configuration: listening, on: loops) { _ in .accept(handler) }
        let port = listener.port
        let fields = configuration.compression ? [Self.deflate] : []
        let outcome = try await BlockingThread.value { () -> Outcome in
            let socket = try RawSocket(connectingTo: port)
            defer { socket.close() }
            let head = try socket.requestUpgrade(adding: fields)
            guard head.hasPrefix("HTTP/1.1 101 ") else { throw RawSocketError.unexpected(head) }
            return try script(ScriptedSide(socket: socket, maskingKey: [0x11, 0x22, 0x33, 0x44]))
        }
        await listener.stop()
        return outcome
    }
}

/// The script's side of a connection. It masks its frames if it plays the client.
struct ScriptedSide {
    let socket: RawSocket
    let maskingKey: [UInt8]?

    /// Sends frames in one write.
    func send(_ frames: RawFrame...) throws { try send(frames) }

    func send(_ frames: [RawFrame]) throws { try socket.send(frames.flatMap(bytes)) }

    /// A frame's bytes on the wire.
    func bytes(_ frame: RawFrame) -> [UInt8] {
        var frame = frame
        frame.maskingKey = maskingKey
        return frame.bytes
    }

    /// Sends the header of a frame without its payload.
    func announce(_ opcode: UInt8, bytes count: UInt64) throws {
        let length = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> $0) }
        try socket.send([0x80 | opcode, (maskingKey == nil ? 0 : 0x80) | 127] + length + (maskingKey ?? []))
    }

    /// Reads up to the end of the stream; a reset counts as the end.
    func waitForEnd() throws { try socket.waitForEnd() }
}

extension RawSocket {
    /// Reads up to the end of the stream, and returns the bytes; a reset counts as the end.
    @discardableResult func waitForEnd() throws -> [UInt8] {
        do {
            return try readToEnd()
        } catch RawSocketError.system(let code) where code == 104 {
            return []
        }
    }
}
