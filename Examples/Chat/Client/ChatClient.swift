// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket

/// Joins a chat, prints its messages, and says the lines of the standard input until it ends.
@main
struct ChatClient {
    private struct Message: Decodable, Sendable {
        var from: String
        var text: String
    }

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else {
            print("usage: swift run ChatClient URL NAME")
            exit(2)
        }
        do {
            try await runUntilInterrupted { try await chat(at: arguments[1], as: arguments[2]) }
        } catch {
            show("\(error)")
            exit(1)
        }
    }

    private static func chat(at url: String, as name: String) async throws {
        var configuration = SessionConfiguration()
        // It runs for each connection, so the client joins again after the server was restarted.
        configuration.onConnect = { session in
            let names = try await session.call("join", params: ["name": name], as: [String].self)
            show("In the room: \(names.joined(separator: ", "))")
        }
        let client = JSONRPCClient(
            connector: WebSocketConnector(to: url), configuration: configuration, reconnect: .onLoss)
        // The stream begins before the client connects, so it misses no message.
        let messages = client.notifications("message", as: Message.self)
        try await client.connect()
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                for try await message in messages {
                    switch message {
                    case .value(let message): show("\(message.from): \(message.text)")
                    case .gap: show("(The connection was lost. Messages may be missing here.)")
                    }
                }
            }
            group.addTask {
                for await line in standardInput() { try await say(line, to: client) }
                await client.close()
            }
        }
    }

    private static func say(_ line: String, to client: JSONRPCClient) async throws {
        do {
            try await client.call("say", params: ["text": line])
        } catch let error as ClientError where error.isRetryable {
            // A call that certainly was not sent is sent again by the client, so the others may have heard this line.
            show("(Perhaps not said: \(line))")
        }
    }

    /// Returns the lines of the standard input. A thread reads it, because reading blocks.
    private static func standardInput() -> AsyncStream<String> {
        AsyncStream { lines in
            Thread.detachNewThread {
                var bytes = Data()
                while case let more = FileHandle.standardInput.availableData, !more.isEmpty {
                    bytes += more
                    while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                        lines.yield(String(decoding: bytes[..<end], as: UTF8.self))
                        bytes.removeSubrange(...end)
                    }
                }
                if !bytes.isEmpty { lines.yield(String(decoding: bytes, as: UTF8.self)) }
                lines.finish()
            }
        }
    }

    /// Prints a line. Control characters of other members do not reach the terminal.
    private static func show(_ line: String) {
        let scalars = line.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
        let visible = String(String.UnicodeScalarView(scalars))
        FileHandle.standardOutput.write(Data("\(visible)\n".utf8))
    }
}
