// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import TestSupport
import TestTurns
import Testing
import WebSocket

/// The memory for each thing under limits of numbers. Each test has its own process, because it measures the heap.
@Suite(.inTurn(within: .seconds(300))) struct CountMemoryTests {
    /// The memory for one thing, so that the table has a number beside the measured memory.
    private static let each = 8192

    @Test(.startsProcess) func callsInFlight() async {
        await #expect(processExitsWith: .success) {
            let count = 65_536
            try await MemoryRow(
                limit: "calls in flight", attack: "\(count) tasks with a short call, 8 KiB for each",
                documented: count * Self.each, factor: 1, fixed: 0
            ).measure(reachesLimit: false) {
                let peer = HostilePeer()
                for _ in 0..<count { Task { try await peer.session.call("m", params: [1]) as Int } }
                try await yieldUntil("all calls are in flight") { peer.session.callsInFlight >= count }
                return peer
            }
        }
    }

    @Test(.startsProcess) func callsOfThePeer() async {
        await #expect(processExitsWith: .success) {
            let count = 1024
            try await MemoryRow(
                limit: "the peer's calls in progress", attack: "\(count) short calls, 8 KiB for each",
                documented: count * Self.each, factor: 1, fixed: 0
            ).measure(reachesLimit: false) {
                let (peer, gate) = (HostilePeer(), HandlerGate())
                peer.session.setFallbackHandler { _ in
                    await gate.wait()
                    return .null
                }
                for id in 0..<count { peer.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":[1]}"#) }
                for _ in 0..<1000 { await Task.yield() }
                return peer
            }
        }
    }

    @Test(.startsProcess) func connectionsOfAListener() async {
        await #expect(processExitsWith: .success) {
            let count = 250
            let end = Gate()
            let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
            let listener = try await WebSocketListener.listen { _ in .accept(QuietHandler()) }
            try await MemoryRow(
                limit: "connections", attack: "\(count) idle connections, 8 KiB for each", documented: count * 8192,
                factor: 1, fixed: 256 << 10
            ).measure(reachesLimit: false) {
                BlockingThread.run {
                    let sockets = (0..<count).compactMap { _ in try? RawSocket(connectingTo: listener.port) }
                    for socket in sockets { _ = try? socket.requestUpgrade() }
                    arrival.finish()
                    try? end.wait()
                    for socket in sockets { socket.close() }
                }
                for await _ in arrived {}
            }
            end.open()
            await listener.stop()
        }
    }
}
