// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// Header fields that are not made in time.
@Suite(.inTurn(within: .seconds(60)))
struct HeaderFieldsTaskTests {
    private let started = EventLog<Void>()
    private let goesOn = EventLog<Void>()
    private let wasCancelled = EventLog<Bool>()

    /// Header fields that are not ready before the test says so, even if the dial has given up.
    private func configuration(timeout: Duration) -> WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = timeout
        configuration.dynamicHeaders = { [started, goesOn, wasCancelled] in
            started.record(())
            await goesOn.wait(count: 1)
            wasCancelled.record(Task.isCancelled)
            return []
        }
        return configuration
    }

    private func connect(_ configuration: WebSocketConfiguration) async throws {
        try await WebSocketConnection.connect(
            to: "ws://127.0.0.1:1/", configuration: configuration, receiver: RecordingHandler(),
            on: WebSocketEventLoops())
    }

    @Test func connectingEndsAtTheTimeLimit() async {
        let error = await #expect(throws: WebSocketError.self) {
            try await connect(configuration(timeout: .milliseconds(50)))
        }
        #expect(error?.code == .connectTimeout)
        goesOn.record(())
        #expect(await wasCancelled.wait(count: 1) == [true])
    }

    @Test func cancellingConnectsEndsItAtOnce() async {
        let connecting = Task { try await connect(configuration(timeout: .seconds(1000))) }
        await started.wait(count: 1)
        connecting.cancel()
        await #expect(throws: CancellationError.self) { try await connecting.value }
        goesOn.record(())
        #expect(await wasCancelled.wait(count: 1) == [true])
    }

    @Test func cancelledTaskConnectsNowhere() async {
        let connecting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await connect(configuration(timeout: .seconds(1000)))
        }
        await #expect(throws: CancellationError.self) { try await connecting.value }
        goesOn.record(())
    }
}
