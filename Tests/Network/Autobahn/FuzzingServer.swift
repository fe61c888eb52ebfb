// swift-jsonrpc · SPDX-License-Identifier: MIT

import WebSocket

/// The fuzzing server of Autobahn|Testsuite. Each request is a connection of its own.
struct FuzzingServer {
    var url: String
    var agent: String
    /// Whether cases are run with permessage-deflate offered.
    var compression: Bool
    var engine: WebSocketEngine

    /// The number of cases that the server is configured to run.
    func caseCount() async throws -> Int {
        let messages = try await request("getCaseCount")
        guard let text = messages.first, let count = Int(text), count > 0 else {
            throw UsageError(description: "The server sent no number of cases: \(messages)")
        }
        return count
    }

    /// Runs a case, and waits until the server has judged it. The server does that when its side of the connection has
    /// ended, which can be after the client's, and reports only what it has judged.
    func run(case number: Int) async {
        let handler = EchoHandler()
        do {
            try await WebSocketConnection.connect(
                to: "\(url)/runCase?case=\(number)&agent=\(agent)", configuration: configuration(), receiver: handler)
            await handler.end()
            _ = try await request("getCaseStatus?case=\(number)&agent=\(agent)")
        } catch {
            print("case number \(number): \(error)")
        }
    }

    /// Asks the server to write the reports.
    func updateReports() async throws {
        _ = try await request("updateReports?agent=\(agent)")
    }

    /// Makes a connection for one request, and returns the messages that the server sent before it closed.
    private func request(_ path: String) async throws -> [String] {
        let handler = RecordingHandler()
        try await WebSocketConnection.connect(to: "\(url)/\(path)", configuration: configuration(), receiver: handler)
        await handler.end()
        return handler.messages
    }

    private func configuration() -> WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.engine = engine
        configuration.compression = compression
        configuration.proxy = .none
        // The server counts our PING as a frame that the case did not expect.
        configuration.pingInterval = nil
        return configuration
    }
}
