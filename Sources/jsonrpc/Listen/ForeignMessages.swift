// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization

/// What `listen` makes of messages that are not JSON-RPC.
struct ForeignMessages: Sendable {
    /// True to print them all; otherwise the first one is mentioned on standard error.
    var printsAll: Bool
    var output: LineOutput

    /// Follows a connection to its end.
    func follow(_ client: JSONRPCClient) -> Attendant {
        let events = client.events
        return Task {
            var isMentioned = false
            for await event in events {
                switch event {
                case .irregularMessage(let message) where Self.isForeign(message):
                    if printsAll {
                        // Where nobody reads the output any more, the notifications end the command.
                        try? print(message)
                    } else if !isMentioned {
                        isMentioned = true
                        mention(message)
                    }
                case .missed(let count) where printsAll:
                    OutputStream.diagnostics.say("jsonrpc: At least some of \(count) messages were not printed.")
                default: continue
                }
            }
        }
    }

    private static func isForeign(_ message: IrregularMessage) -> Bool {
        let kinds: [Irregularity] = [.notAMessage, .malformedJSON, .emptyMessage, .emptyBatch]
        return kinds.contains { message.irregularities.contains($0) }
    }

    private func mention(_ message: IrregularMessage) {
        let beginning = TerminalText.summary(message.text, maximumCharacters: 160)
        OutputStream.diagnostics.say(
            "jsonrpc: The peer sends messages that are not JSON-RPC; the first one: \(beginning) "
                + "(--raw prints them all)")
    }

    /// JSON is printed without white space; anything else with its control characters escaped, so that each message is
    /// one line.
    private func print(_ message: IrregularMessage) throws {
        if let json = try? RawJSON(validating: message.bytes) {
            try output.stream.write(line: output.formatter.format(json))
        } else {
            try output.stream.write(line: TerminalText.line(message.bytes))
        }
    }
}

/// A value that is made in one place and taken in another.
final class Registered<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)

    var value: Value? { stored.withLock { $0 } }

    func set(_ value: Value) { stored.withLock { $0 = value } }
}
