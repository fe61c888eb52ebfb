// swift-jsonrpc · SPDX-License-Identifier: MIT

import LWSWebSocket
import WebSocket

/// The client under test of Autobahn|Testsuite. It runs all cases of a fuzzing server, one after the other, and echoes
/// each message.
///
/// Usage: `autobahn-client URL AGENT [--compression] [--engine=libwebsockets]`. The last line on standard output is the
/// number of cases. The server writes the results to files when the client asks for it at the end.
@main
enum AutobahnClient {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let words = arguments.filter { !$0.hasPrefix("--") }
        guard words.count == 2 else {
            throw UsageError(
                description: "usage: autobahn-client URL AGENT [--compression] [--engine=libwebsockets]")
        }
        let server = FuzzingServer(
            url: words[0], agent: words[1], compression: arguments.contains("--compression"),
            engine: arguments.contains("--engine=libwebsockets") ? .libwebsockets : .builtIn)
        let count = try await server.caseCount()
        for number in 1...max(count, 1) where number <= count {
            await server.run(case: number)
        }
        try await server.updateReports()
        print("cases: \(count)")
    }
}

struct UsageError: Error, CustomStringConvertible {
    var description: String
}
