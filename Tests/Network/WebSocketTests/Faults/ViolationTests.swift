// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// A peer breaks a rule (numbers 4 to 8). The user learns which side is at fault, and the peer gets a proper CLOSE.
@Suite(.inTurn(within: .seconds(60)))
struct ViolationTests {
    /// Only the violation may end a connection, not a missing PONG or the close timeout.
    private var patient: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.pingInterval = nil
        configuration.closeTimeout = .seconds(1000)
        configuration.maximumMessageBytes = 100_000
        return configuration
    }

    private static let faults: [String: RawFrame] = [
        "reserved bit 1": RawFrame(RawFrame.Opcode.text, [65], reserved: 4),
        "reserved bit 2": RawFrame(RawFrame.Opcode.text, [65], reserved: 2),
        "reserved bit 3": RawFrame(RawFrame.Opcode.ping, [], reserved: 1),
        "reserved opcode": RawFrame(0x3, [65]),
        "reserved control opcode": RawFrame(0xB),
        "continuation of nothing": RawFrame(RawFrame.Opcode.continuation, [65]),
        "PING of 126 bytes": RawFrame(RawFrame.Opcode.ping, .init(repeating: 1, count: 126)),
        "fragmented PING": RawFrame(RawFrame.Opcode.ping, [1], isFinal: false),
        "CLOSE of one byte": RawFrame(RawFrame.Opcode.close, [3]),
        "CLOSE with code 0": RawFrame.close(0), "CLOSE with code 999": RawFrame.close(999),
        "CLOSE with code 1005": RawFrame.close(1005), "CLOSE with code 1006": RawFrame.close(1006),
        "CLOSE with code 1015": RawFrame.close(1015), "CLOSE with code 2999": RawFrame.close(2999),
        "CLOSE with code 5000": RawFrame.close(5000), "CLOSE with code 65535": RawFrame.close(65535),
    ]

    /// Numbers 4 and 5.
    @Test(arguments: TestedRole.allCases, faults.keys.sorted())
    func aBrokenRuleIsAProtocolViolation(role: TestedRole, fault: String) async throws {
        let frame = try #require(Self.faults[fault])
        let run = try await role.run(patient) { side -> RawFrame in
            try side.send(RawFrame(RawFrame.Opcode.text, Array("before".utf8)), frame)
            let close = try side.socket.readClose()
            try side.waitForEnd()
            return close
        }
        #expect(run.closure.initiator == .failure)
        #expect(run.closure.webSocketError?.code == .protocolViolation)
        #expect(run.closure.webSocketError?.closeCode == .protocolError)
        #expect(run.outcome.closeCode == 1002)
        #expect(!run.outcome.closeReason.isEmpty)
        // Earlier messages are delivered.
        #expect(run.events.compactMap(\.text) == ["before"])
    }

    /// When the violation is found, the PONG can no longer be written. The violation is still the reported cause.
    @Test func aWriteThatFailsDoesNotHideTheViolation() async throws {
        let mayBreak = Gate()
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            try mayBreak.wait()
            try socket.send(RawFrame(RawFrame.Opcode.ping).bytes + RawFrame(0x3, [65]).bytes)
            socket.reset()
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler(onOpen: { $0.setReading(false) })
        let connection = try await connect(to: peer.url, configuration: patient, handler: handler, on: loops)
        mayBreak.open()
        try await peer.outcome()
        connection.setReading(true)
        let closure = try #require(await handler.closure())
        #expect(closure.webSocketError?.code == .protocolViolation)
        #expect(closure.closeCode == .protocolError)
        await loops.shutDown()
    }

    /// Number 5.
    @Test(arguments: TestedRole.allCases)
    func aCloseReasonThatIsNotUTF8IsAProtocolViolation(role: TestedRole) async throws {
        let run = try await role.run(patient) { side -> RawFrame in
            try side.send(RawFrame(RawFrame.Opcode.close, [0x03, 0xE8, 0xC3, 0x28]))
            return try side.socket.readClose()
        }
        #expect(run.closure.webSocketError?.code == .protocolViolation)
        #expect(run.outcome.closeCode == 1007)
        #expect(String(validating: run.outcome.payload.dropFirst(2), as: UTF8.self) != nil)
    }

    /// Number 8, and the same for a client.
    @Test(arguments: TestedRole.allCases) func wrongMaskingIsAProtocolViolation(role: TestedRole) async throws {
        let run = try await role.run(patient) { side -> RawFrame in
            let key: [UInt8]? = side.maskingKey == nil ? [1, 2, 3, 4] : nil
            try side.socket.send(RawFrame(RawFrame.Opcode.text, Array("masked".utf8), maskingKey: key))
            return try side.socket.readClose()
        }
        #expect(run.closure.webSocketError?.code == .protocolViolation)
        #expect(run.outcome.closeCode == 1002)
        #expect(run.events.allSatisfy { $0.text == nil })
    }

    /// Number 7: the peer sends as long as it can.
    @Test(arguments: TestedRole.allCases) func endlessEmptyFragmentsAreRefused(role: TestedRole) async throws {
        let run = try await role.run(patient) { side -> RawFrame in
            try side.send(RawFrame(RawFrame.Opcode.text, [], isFinal: false))
            try side.sendUntilLeft(
                [RawFrame](repeating: RawFrame(RawFrame.Opcode.continuation, [], isFinal: false), count: 1000))
            return RawFrame(RawFrame.Opcode.close)
        }
        #expect(run.closure.webSocketError?.code == .protocolViolation)
        #expect(run.closure.closeCode == .policyViolation)
    }

    enum Excess: Sendable, CaseIterable {
        case announced2to40, announcedLimitAnd1, fragmentBeyondTheLimit, notText

        func send(by side: ScriptedSide) throws {
            switch self {
            case .announced2to40: try side.announce(RawFrame.Opcode.binary, bytes: 1 << 40)
            case .announcedLimitAnd1: try side.announce(RawFrame.Opcode.text, bytes: 100_001)
            case .fragmentBeyondTheLimit:
                try side.send(RawFrame(RawFrame.Opcode.binary, .init(repeating: 1, count: 60_000), isFinal: false))
                try side.announce(RawFrame.Opcode.continuation, bytes: 70_000)
            case .notText: try side.send(RawFrame(RawFrame.Opcode.text, [0x61, 0xFF], isFinal: false))
            }
        }

        var closeCode: UInt16 { self == .notText ? 1007 : 1009 }
        var error: WebSocketError.Code { self == .notText ? .invalidText : .messageTooBig }
    }

    /// Number 6: the header alone is enough. The peer sends nothing more and never answers.
    @Test(arguments: TestedRole.allCases, Excess.allCases)
    func anExcessIsRefusedWithoutWaitingForIt(role: TestedRole, excess: Excess) async throws {
        let run = try await role.run(patient) { side -> RawFrame in
            try excess.send(by: side)
            let close = try side.socket.readClose()
            try side.waitForEnd()
            return close
        }
        #expect(run.outcome.closeCode == excess.closeCode)
        #expect(run.closure.webSocketError?.code == excess.error)
        #expect(run.closure.initiator == .failure)
    }

    /// Number 6: the user gets the error although the peer reads nothing and goes on sending. The socket is closed.
    @Test(arguments: TestedRole.allCases, [Excess.announcedLimitAnd1, .notText])
    func aPeerThatGoesOnSendingIsLeft(role: TestedRole, excess: Excess) async throws {
        let gate = Gate()
        let handler = RecordingHandler()
        async let run = role.run(patient, handler: handler) { side in
            try excess.send(by: side)
            try gate.wait()
            try side.sendUntilLeft([RawFrame(RawFrame.Opcode.binary, .init(repeating: 7, count: 60_000))])
        }
        // This happens before the peer does anything else.
        let closure = try #require(await handler.closure())
        #expect(closure.webSocketError?.code == excess.error)
        gate.open()
        _ = try await run
    }
}

extension ScriptedSide {
    /// Sends these frames again and again. Throws if the other side allows that.
    func sendUntilLeft(_ frames: [RawFrame]) throws {
        let bytes = frames.flatMap(bytes)
        var sent = 0
        do {
            while sent < 256 << 20 {
                try socket.send(bytes)
                sent += bytes.count
            }
        } catch RawSocketError.system(let code) where code == 32 || code == 104 {
            return
        }
        throw RawSocketError.unexpected("\(sent) bytes were taken")
    }
}
