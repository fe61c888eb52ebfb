// swift-jsonrpc · SPDX-License-Identifier: MIT

import WebSocket

/// The client that Autobahn|Testsuite tests: runs all cases of a fuzzing server, one after the other, and echoes each
/// message.
///
/// Usage: `autobahn-client URL AGENT [--compression]`. The last line on standard output is the number of cases. The
/// server writes the results to files when the client asks for it at the end.
@main
enum AutobahnClient {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let compression = arguments.last == "--compression"
        if compression { arguments.removeLast() }
        guard arguments.count == 2 else {
            throw UsageError(description: "usage: autobahn-client URL AGENT [--compression]")
        }
        let server = FuzzingServer(url: arguments[0], agent: arguments[1], compression: compression)
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
