// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import Synchronization
import TestTurns
import WireJSON

/// A session with a peer that sends anything and reads nothing, without a socket. So only the session uses memory.
final class HostilePeer: MessageTransport {
    private struct State {
        var accepted = 0
        var queued: [ArraySlice<UInt8>] = []
        var queuedBytes = 0
        var isReading = true
    }

    let session: DuplexSession
    private let state = Mutex(State())

    init(_ configuration: SessionConfiguration = SessionConfiguration()) {
        session = DuplexSession(configuration: configuration)
        session.receiver.transportOpened(self)
    }

    /// The bytes that the session has sent.
    var queuedByteCount: Int { state.withLock { $0.queuedBytes } }

    // MARK: Messages to the session

    /// Sends a message: a text, a number of letters, and another text. Like a socket, it passes the ownership of a long
    /// message and lends a short one. Bytes that the session does not read stay in the socket and are not measured.
    func send(_ text: String, padding: Int = 0, _ end: String = "") {
        guard state.withLock({ $0.isReading }) else { return }
        var bytes = Array(text.utf8)
        bytes.reserveCapacity(bytes.count + padding + end.utf8.count)
        bytes += [UInt8](repeating: UInt8(ascii: "a"), count: padding)
        bytes.append(contentsOf: end.utf8)
        guard bytes.count < 64 << 10 else {
            return session.receiver.messageReceived(InboundMessage(content: .owned(bytes), isBinary: false))
        }
        bytes.withUnsafeBytes {
            session.receiver.messageReceived(InboundMessage(content: .borrowed($0), isBinary: false))
        }
    }

    /// Waits until the session has sent something.
    func untilSent(_ isSent: (_ bytes: Int) -> Bool = { $0 > 0 }) async throws {
        try await yieldUntil("the session has sent as much as is expected") { isSent(queuedByteCount) }
    }

    // MARK: The transport

    private func add(_ piece: ArraySlice<UInt8>) -> EnqueueOutcome {
        state.withLock { state in
            defer {
                state.accepted += piece.count
                state.queuedBytes += piece.count
                state.queued.append(piece)
            }
            return .queued(OutboxTicket(position: UInt64(state.accepted)), mustWake: false)
        }
    }

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { bytes.append(contentsOf: piece) }
        return add(bytes[...])
    }

    func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome {
        add(pieces.count == 1 ? pieces[0] : ArraySlice(pieces.joined()))
    }

    func wake() {}
    func withdraw(_ ticket: OutboxTicket) -> Bool { false }
    func setReading(_ isReading: Bool) { state.withLock { $0.isReading = isReading } }
    func close(code: UInt16, reason: String, deadline: Duration) {}
}

/// Handlers that wait until the test has measured.
final class HandlerGate: Sendable {
    private let stream: AsyncStream<Void>
    private let opener: AsyncStream<Void>.Continuation

    init() { (stream, opener) = AsyncStream.makeStream() }

    deinit { opener.finish() }

    func open() { opener.finish() }

    func wait() async { for await _ in stream {} }
}
