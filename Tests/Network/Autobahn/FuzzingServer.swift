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
        let handler = RecordingHandler()
        try await WebSocketConnection.connect(
            to: "\(url)/getCaseCount", configuration: configuration(), receiver: handler)
        await handler.end()
        guard let text = handler.messages.first, let count = Int(text), count > 0 else {
            throw UsageError(description: "The server sent no number of cases: \(handler.messages)")
        }
        return count
    }

    /// Runs a case. The server judges it, even if connecting fails.
    func run(case number: Int) async {
        let handler = EchoHandler()
        do {
            try await WebSocketConnection.connect(
                to: "\(url)/runCase?case=\(number)&agent=\(agent)", configuration: configuration(), receiver: handler)
            await handler.end()
        } catch {
            print("case number \(number): \(error)")
        }
    }

    /// Asks the server to write the reports.
    func updateReports() async throws {
        let handler = RecordingHandler()
        try await WebSocketConnection.connect(
            to: "\(url)/updateReports?agent=\(agent)", configuration: configuration(), receiver: handler)
        await handler.end()
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
