// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

/// If a server breaks a rule of RFC 6455 (numbers 4, 5, 6 and 8), the tool ends with the status for violations, not
/// with the status for a lost connection.
@Suite(.inTurn(within: .seconds(60))) struct ToolViolationTests {
    private static let faults: [String: [UInt8]] = [
        "reserved bit": RawFrame(RawFrame.Opcode.text, [65], reserved: 4).bytes,
        "reserved opcode": RawFrame(0x3, [65]).bytes,
        "reserved control opcode": RawFrame(0xB).bytes,
        "continuation of nothing": RawFrame(RawFrame.Opcode.continuation, [65]).bytes,
        "PING of 126 bytes": RawFrame(RawFrame.Opcode.ping, .init(repeating: 1, count: 126)).bytes,
        "fragmented PING": RawFrame(RawFrame.Opcode.ping, [1], isFinal: false).bytes,
        "CLOSE of one byte": RawFrame(RawFrame.Opcode.close, [3]).bytes,
        "CLOSE with code 999": RawFrame.close(999).bytes,
        "CLOSE with a reason that is not UTF-8": RawFrame(RawFrame.Opcode.close, [0x03, 0xE8, 0xFF]).bytes,
        "masked frame": RawFrame(RawFrame.Opcode.text, [65], maskingKey: [1, 2, 3, 4]).bytes,
        "2^40 bytes announced": [0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0],
        "2^63 bytes announced": [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0],
    ]

    @Test(arguments: faults.keys.sorted(), [false, true])
    func aBrokenRuleIsStatus6(fault: String, isBrokenBeforeTheCall: Bool) async throws {
        let bytes = try #require(Self.faults[fault])
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            if !isBrokenBeforeTheCall { _ = try socket.readFrame() }
            try socket.send(bytes)
            _ = try? socket.readToEnd()
        }
        let run = try await ToolRun.run(["call", peer.url, "m"])
        #expect(run.status == 6, "\(run.diagnostics)")
        #expect(run.output == "")
        #expect(run.diagnostics.hasPrefix("jsonrpc: "))
        try await peer.outcome()
    }

    /// Number 10.
    @Test(arguments: ["SSH-2.0-OpenSSH_9.2p1\r\n", "\0\0\0\0", "\u{15}\u{3}\u{3}\0\u{2}\u{2}("])
    func anAnswerThatIsNoHTTPIsToldAtOnce(answer: String) async throws {
        let peer = try RawPeer { socket in
            _ = try socket.readHead()
            try socket.send(answer)
            _ = try? socket.readToEnd()
        }
        // This is longer than the peer waits.
        let run = try await ToolRun.run(["call", peer.url, "m", "--connect-timeout", "1000s"])
        #expect(run.status == 3, "\(run.diagnostics)")
        #expect(run.diagnostics.contains("HTTP"))
        try await peer.outcome()
    }
}
