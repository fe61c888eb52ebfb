// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import ToolSupport

/// One connection of a recording, and the peer that replays it.
struct RecordedConnection: Sendable {
    let peer: ScriptedPeer
    let messageCount: Int
    private let path: String
    /// The line of each event in the file.
    private let lines: [Int]

    /// Reads a recording.
    ///
    /// - Parameter patience: The time to wait for each message; `nil` for no limit.
    /// - Returns: The connections, in the order in which they were opened.
    static func read(
        _ path: String, as role: PeerScript.ReplayRole, matching: PeerScript.ReplayMatching,
        pace: PeerScript.ReplayPace, patience: Duration?
    ) throws -> [RecordedConnection] {
        let recording: SessionRecording
        do {
            recording = try SessionRecording(contentsOfFile: path)
        } catch {
            throw UsageError("\(path): \(error)")
        }
        let numbered = Dictionary(grouping: recording.events.enumerated(), by: \.element.connection)
        guard !numbered.isEmpty else { throw UsageError("\(path) has no connections to replay.") }
        return numbered.sorted { $0.key < $1.key }.map { _, events in
            let script = PeerScript(
                replaying: SessionRecording(events: events.map { .init($0.element.kind, time: $0.element.time) }),
                as: role, matching: matching, pace: pace)
            let peer = ScriptedPeer(
                playing: script, matching: .anyOrder, patience: patience ?? .seconds(1_000_000_000))
            // The first line of the file names the format.
            return RecordedConnection(
                peer: peer, messageCount: events.count { $0.element.kind.isMessage }, path: path,
                lines: events.map { $0.offset + 2 })
        }
    }

    /// Waits until everything was replayed. There is no limit for the time until the connection is opened. Throws
    /// ``CallFailure`` if the other side behaves differently; `CancellationError`.
    func finish() async throws {
        while peer.connectionCount == 0 {
            try? await peer.expectConnection()
            try Task.checkCancellation()
        }
        do {
            try await peer.finishScript()
        } catch let failure as ScriptFailure {
            let line = failure.scriptLine.flatMap { lines.indices.contains($0 - 2) ? lines[$0 - 2] : nil }
            let place = line.map { "\(path), line \($0)" } ?? path
            let difference = failure.difference.map { "The first difference is \($0). " } ?? ""
            throw CallFailure(
                kind: .protocolViolation, delivery: .answered,
                message: TerminalText.line(
                    "\(place): \(difference)Expected \(failure.expected), but \(failure.instead)."))
        }
    }

    /// Closes the connection. The other side has 5 seconds for the closing handshake.
    func close() { peer.transport?.close(code: 1000, reason: "", deadline: .seconds(5)) }

    /// Waits until the connection has ended, at most for the peer's patience.
    func closed() async { _ = try? await peer.expectClosure() }
}

extension SessionRecording.Event.Kind {
    fileprivate var isMessage: Bool {
        switch self {
        case .sent, .received: true
        case .opened, .withdrawn, .closed: false
        }
    }
}
