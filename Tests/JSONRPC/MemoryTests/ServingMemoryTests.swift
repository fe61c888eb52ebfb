// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

private let megabyte = 1 << 20

/// The peer's calls and their answers at their limits. Each test has its own process, because it measures the heap.
@Suite(.inTurn(within: .seconds(300))) struct ServingMemoryTests {
    @Test(.startsProcess) func callsInProgress() async {
        await #expect(processExitsWith: .success) {
            for (attack, before, after) in [
                ("long params", #"{"jsonrpc":"2.0","id":1,"method":"m","params":[""#, #""]}"#),
                ("long ids", #"{"jsonrpc":"2.0","method":"m","id":""#, #""}"#),
                ("long names", #"{"jsonrpc":"2.0","id":1,"method":""#, #""}"#),
                ("members of arrays", #"[1,{"jsonrpc":"2.0","id":1,"method":"m","params":[""#, #""]}]"#),
            ] {
                try await MemoryRow(
                    limit: "messages of the peer's calls in progress", attack: attack, documented: 64 << 20
                )
                .measure {
                    let (peer, gate) = (HostilePeer(), HandlerGate())
                    peer.session.setFallbackHandler { _ in
                        await gate.wait()
                        return .null
                    }
                    for _ in 0..<24 { peer.send(before, padding: 4 * megabyte, after) }
                    return (peer, gate)
                }
            }
        }
    }

    /// One member of each array does not end, so the finished answers of the others wait.
    @Test(.startsProcess) func answersThatWaitForTheirArray() async {
        await #expect(processExitsWith: .success) {
            for isSynchronous in [true, false] {
                let row = MemoryRow(
                    limit: "answers that wait for the others of their array",
                    attack: isSynchronous ? "long answers, synchronous handler" : "long answers, handlers with tasks",
                    documented: 64 << 20)
                try await row.measure {
                    let (peer, gate) = (HostilePeer(), HandlerGate())
                    // The limit is reached between two answers that are composed in one buffer.
                    let result = RawJSON(text: "a", count: megabyte * 3 / 2)
                    peer.session.setHandler("slow") { _ in
                        await gate.wait()
                        return .null
                    }
                    if isSynchronous {
                        peer.session.setHandler("list", SynchronousHandler { _ in result })
                    } else {
                        peer.session.setHandler("list") { _ in result }
                    }
                    let list = #",{"jsonrpc":"2.0","id":1,"method":"list"}"#
                    peer.send(#"[{"jsonrpc":"2.0","id":0,"method":"slow"}\#(String(repeating: list, count: 200))]"#)
                    // All but the slow one have been answered or refused.
                    try await yieldUntil("only the slow call is served") {
                        peer.session.driver.state.withLock { $0.machine.served.count } <= 1
                    }
                    return (peer, gate)
                }
            }
            let row = MemoryRow(
                limit: "answers that wait for the others of their array", attack: "arrays of refused members",
                documented: 64 << 20)
            try await row.measure {
                var configuration = SessionConfiguration()
                configuration.inbound.maximumCalls = 16_384
                let (peer, gate) = (HostilePeer(configuration), HandlerGate())
                peer.session.setHandler("slow") { _ in
                    await gate.wait()
                    return .null
                }
                let other = String(repeating: #",{"jsonrpc":"2.0","id":1,"method":"none"}"#, count: 999)
                for _ in 0..<1000 { peer.send(#"[{"jsonrpc":"2.0","id":0,"method":"slow"}\#(other)]"#) }
                return (peer, gate)
            }
        }
    }

    /// The answers of calls with synchronous handlers are composed by one task, which waits for an interceptor.
    @Test(.startsProcess) func answeredCallsBeforeOneThatWaits() async {
        await #expect(processExitsWith: .success) {
            let row = MemoryRow(
                limit: "messages of the peer's calls in progress",
                attack: "long params, the last waits in an interceptor",
                documented: 64 << 20)
            try await row.measure {
                let gate = HandlerGate()
                var configuration = SessionConfiguration()
                configuration.inbound.interceptors = [WaitingInterceptor(gate: gate)]
                let peer = HostilePeer(configuration)
                peer.session.setFallbackHandler(SynchronousHandler { _ in .null })
                func send(_ method: String, _ id: Int) {
                    let beginning = #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":[""#
                    peer.send(beginning, padding: 4 * megabyte, #""]}"#)
                }
                for id in 1...14 { send("m", id) }
                send("wait", 15)
                try await yieldUntil("only one call is in progress") {
                    peer.session.driver.state.withLock { $0.machine.served.count } == 1
                }
                // These find the room of the answered ones.
                for id in 16...29 { send("m", id) }
                return (peer, gate)
            }
        }
    }

    private struct WaitingInterceptor: InboundCallInterceptor {
        let gate: HandlerGate

        func intercept(call: InboundCall, next: NextInboundInterceptor<RawJSON>) async throws -> RawJSON {
            if call.method == "wait" { await gate.wait() }
            return try await next(call)
        }

        func intercept(notification: InboundCall, next: NextInboundInterceptor<Void>) async throws {
            try await next(notification)
        }
    }

    /// The calls were read together, so all of them are in progress when the first answer is ready.
    @Test(.startsProcess) func answersThatThePeerDoesNotRead() async {
        await #expect(processExitsWith: .success) {
            for isSynchronous in [true, false] {
                let row = MemoryRow(
                    limit: "answers that the peer does not read",
                    attack: isSynchronous ? "many calls at once, synchronous handler" : "many calls at once",
                    documented: 4 << 20)
                try await row.measure {
                    let peer = HostilePeer()
                    let result = RawJSON(text: "a", count: 256 << 10)
                    if isSynchronous {
                        peer.session.setHandler("list", SynchronousHandler { _ in result })
                    } else {
                        peer.session.setHandler("list") { _ in result }
                    }
                    for id in 0..<400 { peer.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"list"}"#) }
                    try await peer.untilSent { $0 >= 4 << 20 }
                    // Meanwhile, others that do not stop make progress.
                    for _ in 0..<20_000 { await Task.yield() }
                    return peer
                }
            }
        }
    }
}

extension RawJSON {
    /// A string of a number of letters.
    init(text letter: Character, count: Int) {
        self = RawJSON(JSONValue.string(String(repeating: letter, count: count)))
    }
}
