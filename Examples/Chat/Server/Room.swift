// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// A line of the conversation.
struct Message: Encodable, Sendable {
    var from: String
    var text: String
}

/// The members of the chat, by their names.
actor Room {
    private var members: [String: DuplexSession] = [:]

    /// Adds a member, which leaves when its session ends, and returns the names of all members.
    func join(_ name: String, over session: DuplexSession) async throws -> [String] {
        guard members[name] == nil else {
            throw ErrorObject(code: 1, message: "The name is in use. Choose another one.")
        }
        members[name] = session
        Task {
            await session.closed()
            await leave(name)
        }
        await tell(Message(from: name, text: "(joined)"))
        return members.keys.sorted()
    }

    /// Sends a message to all members.
    func tell(_ message: Message) async {
        for session in members.values {
            // `notify` would wait for a member that does not read.
            guard session.queuedByteCount < 1 << 20 else {
                session.closeNow(code: 1008, reason: "You read too slowly.")
                continue
            }
            // A session can end meanwhile. The others still get the message.
            try? await session.notify("message", params: message)
        }
    }

    private func leave(_ name: String) async {
        members[name] = nil
        await tell(Message(from: name, text: "(left)"))
    }
}
