// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// Responses that are in the socket when a deadline has passed, as after a suspension of the process.
@Suite(.inTurn(within: .seconds(60))) struct ArrivedResponseTests {
    /// What waits for the response, with a limit of five seconds.
    enum Waiting: CaseIterable, Sendable {
        case call
        case streamingCall
        case sharedSubscription

        func result(_ client: JSONRPCClient) async throws -> String {
            let limit = Duration.seconds(5)
            switch self {
            case .call: return try await client.call("m", timeout: .after(limit))
            case .streamingCall:
                let call: StreamingCall<JSONValue, String> = try client.streamingCall(
                    "m", style: .workDone, idleTimeout: limit)
                return try await call.result
            case .sharedSubscription:
                let subscription = try await client.subscribe(
                    "m", params: [1], unsubscribe: nil, timeout: .after(limit), sharing: true, as: Int.self)
                return subscription.id?.description ?? ""
            }
        }
    }

    /// The lengths of the responses: one that is read at once, and one that takes two reads.
    @Test(arguments: Waiting.allCases, [1, 100_000])
    func aResponseThatHasArrivedIsReadBeforeItsDeadlineIsJudged(waiting: Waiting, length: Int) async throws {
        let response = #"{"jsonrpc":"2.0","id":1,"result":"x""# + String(repeating: " ", count: length) + "}"
        let requested = EventLog<Bool>()
        let gate = Gate()
        let written = EventLog<Bool>()
        try await withTemporaryDirectory { folder in
            // Bytes that are written to such a socket have arrived.
            let path = folder + "/peer"
            let peer = try RawPeer(unixPath: path) { socket in
                _ = try socket.acceptUpgrade()
                _ = try socket.readFrame()
                requested.record(true)
                try gate.wait()
                try socket.send(RawFrame(RawFrame.Opcode.text, Array(response.utf8)))
                written.record(true)
                _ = try? socket.readToEnd()
            }
            let loops = WebSocketEventLoops(count: 1)
            let clock = ManualClock()
            var configuration = SessionConfiguration()
            configuration.clock = clock
            let connector = WebSocketConnector(to: "ws+unix:\(path)", on: loops)
            let client = JSONRPCClient(connector: connector, configuration: configuration)
            try await client.connect()
            let call = Task { try await waiting.result(client) }
            await requested.wait(count: 1)
            await clock.waitForSleeper(dueIn: .seconds(5))

            // The thread that reads the socket is blocked, as in a suspended process.
            let isStopped = EventLog<Bool>()
            let resumption = Gate()
            let stop = Task(executorPreference: loops.executors[0]) {
                isStopped.record(true)
                try resumption.wait()
            }
            await isStopped.wait(count: 1)
            gate.open()
            await written.wait(count: 1)
            clock.advance(by: .seconds(6))
            resumption.open()
            #expect(try await call.value == (waiting == .sharedSubscription ? #""x""# : "x"))
            try await stop.value
            client.closeNow()
            _ = try await peer.outcome()
            await loops.shutDown()
        }
    }
}
