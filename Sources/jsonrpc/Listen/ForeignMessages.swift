// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization

/// Handles messages that are not JSON-RPC for `listen`.
struct ForeignMessages: Sendable {
    /// True to print all of them. If false, only the first is reported, on standard error.
    var printsAll: Bool
    var output: LineOutput

    /// Handles the messages of a connection until the connection ends.
    func follow(_ client: JSONRPCClient) -> Attendant {
        let events = client.events
        return Task {
            var isMentioned = false
            for await event in events {
                switch event {
                case .irregularMessage(let message) where Self.isForeign(message):
                    if printsAll {
                        // If standard output is closed, printing a notification ends the command.
                        try? print(message)
                    } else if !isMentioned {
                        isMentioned = true
                        mention(message)
                    }
                case .missed(let count) where printsAll:
                    OutputStream.diagnostics.say(
                        "jsonrpc: Up to \(count) messages were not printed, because they arrived too fast."
                    )
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
            "jsonrpc: The peer sent a message that is not JSON-RPC. Use --raw to print all such messages. "
                + "The first: \(beginning)")
    }

    /// Prints a message on one line: JSON without white space, other text with its control characters escaped.
    private func print(_ message: IrregularMessage) throws {
        if let json = try? RawJSON(validating: message.bytes) {
            try output.stream.write(line: output.formatter.format(json))
        } else {
            try output.stream.write(line: TerminalText.line(message.bytes))
        }
    }
}

/// A thread-safe box for a value that one closure stores and another reads.
final class Registered<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)

    var value: Value? { stored.withLock { $0 } }

    func set(_ value: Value) { stored.withLock { $0 = value } }
}
