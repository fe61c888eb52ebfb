// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Testing
import WebSocket

/// Runs each test of a suite with both WebSocket engines, one after the other. Its issues name the engine.
struct EachEngineTrait: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var engine = WebSocketEngine.builtIn

    let isRecursive = true

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        for engine in [WebSocketEngine.builtIn, .libwebsockets] {
            let naming = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("The engine is \(engine).")
                return issue
            }
            try await Self.$engine.withValue(engine) {
                try await naming.provideScope(for: test, testCase: testCase) {
                    do {
                        try await function()
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
    }
}

extension Trait where Self == EachEngineTrait {
    /// Runs each test with both engines: that of ``WebSocketConfiguration/tested``.
    static var withEachEngine: Self { Self() }
}

extension WebSocketConfiguration {
    /// The defaults, with the engine of the test.
    static var tested: Self {
        var configuration = Self()
        configuration.engine = EachEngineTrait.engine
        return configuration
    }
}

extension JSONRPCListener.Configuration {
    /// The defaults, with the engine of the test.
    static var tested: Self {
        var configuration = Self()
        configuration.webSocket.connection.engine = EachEngineTrait.engine
        return configuration
    }
}
