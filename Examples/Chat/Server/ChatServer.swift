// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCWebSocket

/// Serves a chat to programs on this machine.
@main
struct ChatServer {
    private struct Join: Decodable, Sendable { var name: String }
    private struct Say: Decodable, Sendable { var text: String }

    static func main() async {
        do {
            let listener = try await listen(port: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 0)
            print("Serving on", listener.url)
            fflush(nil)  // A pipe would keep the line.
            await runUntilInterrupted { await listener.run() }
        } catch {
            print(error)
            exit(1)
        }
    }

    private static func listen(port: Int) async throws -> JSONRPCListener {
        let room = Room()
        var configuration = JSONRPCListener.Configuration()
        configuration.webSocket.maximumConnections = 500
        configuration.webSocket.connection.maximumMessageBytes = 64 << 10
        return try await JSONRPCListener.listen(
            at: .host("127.0.0.1", port: port), configuration: configuration
        ) { session in
            session.handle("join") { (join: Join) async throws -> [String] in
                let names = try await room.join(join.name, over: session)
                // A member speaks under the name with which it joined.
                session.handle("say") { (say: Say) in await room.tell(Message(from: join.name, text: say.text)) }
                session.removeHandler(for: "join")
                return names
            }
        }
    }
}
