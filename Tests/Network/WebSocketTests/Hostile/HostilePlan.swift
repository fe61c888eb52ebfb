// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import Testing
import WebSocket

/// The behaviour of a hostile peer on one connection. A seed and the connection's number determine it.
struct HostilePlan: Sendable {
    /// The seeds of a test: `HOSTILE_SEEDS` is their number.
    static let seeds = Array(1...UInt64(max(ChaosSize.number("HOSTILE_SEEDS") ?? 12, 1)))

    enum Ending: Sendable {
        /// Sends nothing more, and reads to the end.
        case finishes
        case resets
        /// Sends nothing more, and waits for the other side to end the connection.
        case silent
    }

    let head: HostileHead
    let frames: [UInt8]
    let messages: [HostileFrames.Message]
    let end: HostileFrames.End
    let ending: Ending
    /// Whether the other side closes a connection on which the peer is silent. Otherwise it must detect that by PINGs.
    let isClosed: Bool
    /// Whether the other side echoes each message.
    let isEchoed: Bool
    private let pieceBytes: Int
    private let pieceSeed: UInt64

    /// - Parameters:
    ///   - isServer: Whether the peer is a server.
    ///   - deflates: Whether the other side uses compression.
    init(seed: UInt64, connection: Int, isServer: Bool, deflates: Bool) {
        var random = SeededGenerator(
            seed: seed << 20 | UInt64(connection) << 2 | (isServer ? 2 : 0) | (deflates ? 1 : 0))
        head = HostileHead(random: &random, isAnswer: isServer, deflates: deflates)
        let made = HostileFrames(
            random: SeededGenerator(seed: random.next()), isMasked: !isServer, deflates: deflates, forgets: head.forgets
        )
        frames = made.bytes
        messages = made.messages
        end = made.end
        ending = random.oneIn(8) ? .resets : random.oneIn(8) ? .silent : .finishes
        isClosed = random.oneIn(2)
        isEchoed = random.oneIn(2)
        let isShort = frames.count < 2000
        pieceBytes = [1, 7, 60, 1000, 100_000, 100_000][Int.random(in: isShort ? 0..<6 : 3..<6, using: &random)]
        pieceSeed = random.next()
    }

    /// Reads the request; `nil` if the client gave up before it sent one, as it may if its time is short.
    func readHead(on socket: RawSocket) throws -> String? {
        do {
            return try socket.readHead()
        } catch  where ending == .silent {
            return nil
        }
    }

    /// Sends the head and the frames in pieces, and ends as planned.
    func play(head: [UInt8], on socket: RawSocket, sent: () -> Void) throws {
        do {
            try sendPieces(head + frames, on: socket)
        } catch RawSocketError.system(let code) where Self.isParting(code) {
            // The other side has closed the connection.
        }
        sent()
        switch ending {
        case .finishes: socket.finish()
        case .resets: return socket.reset()
        case .silent: break
        }
        do {
            _ = try socket.readToEnd()
        } catch RawSocketError.system(let code) where Self.isParting(code) {}
    }

    private func sendPieces(_ bytes: [UInt8], on socket: RawSocket) throws {
        var random = SeededGenerator(seed: pieceSeed)
        var start = 0
        while start < bytes.count {
            let end = min(start + Int.random(in: 1...pieceBytes, using: &random), bytes.count)
            try socket.send(bytes[start..<end])
            start = end
        }
    }

    /// EPIPE and ECONNRESET.
    private static func isParting(_ code: Int32) -> Bool { code == 32 || code == 104 }

    /// Checks the events of a handler for a connection with a valid opening handshake.
    func check(_ events: [HandlerEvent], _ name: Comment) {
        let closures = events.compactMap(\.closure)
        #expect(events.first?.isOpened == true && closures.count == 1 && events.last?.closure != nil, name)
        let delivered = events.compactMap { event -> HostileFrames.Message? in
            guard case .message(let bytes, let isBinary, _) = event else { return nil }
            return HostileFrames.Message(bytes: bytes, isBinary: isBinary)
        }
        // A failed expectation would print its parts, and these are long.
        let isWithinLimits = delivered.allSatisfy { $0.bytes.count <= HostileFrames.maximumMessageBytes }
        let isText = delivered.allSatisfy { $0.isBinary || String(validating: $0.bytes, as: UTF8.self) != nil }
        #expect(isWithinLimits && isText, name)
        // The rest requires that the peer has sent everything and the other side has read it.
        guard case .accepted = head.verdict, ending == .finishes, let closure = closures.first else { return }
        let isSame = delivered.starts(with: messages)
        #expect(isSame, name)
        #expect(end == .unknown || delivered.count == messages.count, name)
        checkEnd(closure, name)
    }

    private func checkEnd(_ closure: TransportClosure, _ name: Comment) {
        switch end {
        case .none:
            #expect(closure.initiator == .failure && closure.webSocketError?.code == .connectionLost, name)
        case .close(let code, let reason):
            #expect(closure.initiator == .remote && closure.code == code && closure.error == nil, name)
            #expect(closure.reason == reason, name)
        case .violation(let codes):
            #expect(
                closure.initiator == .failure && closure.webSocketError.map { codes.contains($0.code) } == true, name)
        case .unknown:
            #expect(closure.error != nil || closure.initiator == .remote, name)
        }
    }
}
