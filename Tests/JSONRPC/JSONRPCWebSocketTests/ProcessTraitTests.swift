// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCWebSocket
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60)), .startsProcess)
struct ProcessTraitTests {
    /// The process ends when a task of this process has answered it. Swift Testing reads from it in three places, which
    /// is more than the threads for tasks with two processors.
    @Test func tasksRunWhileAProcessIsRead() async throws {
        let listener = try await JSONRPCListener.listen { session in
            session.handle("add") { (terms: [Int]) in await Task.detached { terms.reduce(0, +) }.value }
        }
        await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [url = listener.url as String] in
            let client = try await JSONRPCClient.connect(to: url)
            guard try await client.call("add", params: [1, 2], as: Int.self, timeout: .seconds(20)) == 3 else {
                exit(EXIT_FAILURE)
            }
        }
        await listener.stop()
    }
}
