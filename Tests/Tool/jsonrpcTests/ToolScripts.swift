// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport

/// Peers that follow a script, for tests of the tool.
enum ToolScripts {
    static func text(_ text: String) -> RawFrame { RawFrame(RawFrame.Opcode.text, Array(text.utf8)) }

    /// A peer that accepts, reads some requests, sends these messages, and waits until the client closes.
    static func peer(
        reading requests: Int = 1, adding fields: [String] = [], sending messages: String...
    ) throws -> RawPeer<[String]> {
        try RawPeer { socket in
            try socket.acceptUpgrade(adding: fields)
            var texts: [String] = []
            for _ in 0..<requests {
                if let frame = try socket.readFrame() { texts.append(frame.text) }
            }
            for message in messages { try socket.send(text(message)) }
            _ = try? socket.answerClose()
            return texts
        }
    }

    /// A peer that does not answer CLOSE.
    ///
    /// - Returns: The time for which the client waits for the answer.
    static func peerIgnoringClose(sending messages: String...) throws -> RawPeer<Duration> {
        try RawPeer { socket in
            try socket.acceptUpgrade()
            _ = try socket.readFrame()
            for message in messages { try socket.send(text(message)) }
            _ = try socket.readClose()
            let begin = ContinuousClock.now
            _ = try? socket.readToEnd()
            return .now - begin
        }
    }

    /// A peer that refuses the upgrade with this answer.
    static func peer(answering response: String) throws -> RawPeer<Void> {
        try RawPeer { socket in
            _ = try socket.readHead()
            try socket.send(response)
            _ = try? socket.readToEnd()
        }
    }
}
