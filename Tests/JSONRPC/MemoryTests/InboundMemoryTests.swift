// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import TestTurns
import Testing
import WireJSON

private let megabyte = 1 << 20

/// Notifications and events at their limits. Each test has a process of its own, because it measures the heap.
@Suite(.inTurn(within: .seconds(300))) struct InboundMemoryTests {
    @Test(.startsProcess) func aStreamOfNotifications() async {
        await #expect(processExitsWith: .success) {
            let limit = "notifications that a stream keeps"
            try await MemoryRow(limit: limit, attack: "long params", documented: 64 << 20).measure {
                let peer = HostilePeer()
                let stream = peer.session.notifications()
                for _ in 0..<24 {
                    peer.send(#"{"jsonrpc":"2.0","method":"n","params":[""#, padding: 4 * megabyte, #""]}"#)
                }
                return (peer, stream)
            }
            try await MemoryRow(limit: limit, attack: "long extra members", documented: 64 << 20, factor: 1.5).measure {
                let peer = HostilePeer()
                let stream = peer.session.notifications()
                for _ in 0..<24 {
                    peer.send(#"{"jsonrpc":"2.0","method":"n","params":[1],"x":""#, padding: 4 * megabyte, #""}"#)
                }
                return (peer, stream)
            }
            try await MemoryRow(limit: limit, attack: "many short extra members", documented: 64 << 20).measure {
                let peer = HostilePeer()
                let stream = peer.session.notifications()
                let members = (0..<40_000).map { #","\#($0)":1"# }.joined()
                for _ in 0..<60 { peer.send(#"{"jsonrpc":"2.0","method":"n","params":[1]\#(members)}"#) }
                return (peer, stream)
            }
            try await MemoryRow(limit: limit, attack: "params that are half of the message", documented: 64 << 20)
                .measure {
                    let peer = HostilePeer()
                    let stream = peer.session.notifications()
                    let half = String(repeating: "a", count: 2 * megabyte)
                    for _ in 0..<36 {
                        peer.send(
                            #"{"jsonrpc":"2.0","method":"n","params":[""#, padding: 2 * megabyte, #""],"x":"\#(half)"}"#
                        )
                    }
                    return (peer, stream)
                }
        }
    }

    @Test(.startsProcess) func progress() async {
        await #expect(processExitsWith: .success) {
            var kept: [Any] = []
            for (attack, before, after) in [
                ("long progress", #""token":"call-1","value":""#, #"""#),
                ("short progress beside a long member", #""token":"call-1","value":1,"x":""#, #"""#),
            ] {
                let isShort = attack.hasPrefix("short")
                var row = MemoryRow(limit: "notifications that a stream keeps", attack: attack, documented: 64 << 20)
                // For short ones, only they themselves may take memory.
                if isShort { (row.factor, row.fixed) = (0.1, 0) }
                let held = try await row.measure(reachesLimit: !isShort) {
                    let peer = HostilePeer()
                    let call = try peer.session.streamingCall(
                        "m", params: [:], style: .workDone, progress: JSONValue.self, as: JSONValue.self)
                    try await peer.untilSent()
                    for _ in 0..<24 {
                        peer.send(
                            #"{"jsonrpc":"2.0","method":"$/progress","params":{\#(before)"#, padding: 4 * megabyte,
                            "\(after)}}")
                    }
                    return (peer, call)
                }
                kept.append(held)
            }
            withExtendedLifetime(kept) {}
        }
    }

    @Test(.startsProcess) func earlyNotifications() async {
        await #expect(processExitsWith: .success) {
            var kept: [Any] = []
            for (attack, params, after) in [
                ("long values", #"{"subscription":"1","result":""#, #""}}"#),
                ("long extra members", #"{"subscription":"1","result":null},"x":""#, #""}"#),
            ] {
                let row = MemoryRow(
                    limit: "notifications before the response of their subscribe request", attack: attack,
                    documented: 16 << 20)
                let held = try await row.measure {
                    let peer = HostilePeer()
                    let task = Task { try await peer.session.subscribe("s", unsubscribe: "u", as: JSONValue.self) }
                    try await peer.untilSent()
                    for _ in 0..<30 {
                        peer.send(
                            #"{"jsonrpc":"2.0","method":"sub","params":\#(params)"#, padding: 2 * megabyte, after)
                    }
                    return (peer, task)
                }
                kept.append(held)
            }
            let row = MemoryRow(
                limit: "notifications before the response of their subscribe request", attack: "long ids",
                documented: 16 << 20, factor: 0.1, fixed: 0)
            let held = try await row.measure(reachesLimit: false) {
                let peer = HostilePeer()
                let task = Task { try await peer.session.subscribe("s", unsubscribe: "u", as: JSONValue.self) }
                try await peer.untilSent()
                for number in 10..<40 {
                    peer.send(
                        #"{"jsonrpc":"2.0","method":"sub","params":{"subscription":"\#(number)"#,
                        padding: 2 * megabyte, #"","result":null}}"#)
                }
                return (peer, task)
            }
            withExtendedLifetime((kept, held)) {}
        }
    }

    @Test(.startsProcess) func events() async {
        await #expect(processExitsWith: .success) {
            for (attack, before, after) in [
                ("unknown notifications", #"{"jsonrpc":"2.0","method":"n","params":[""#, #""]}"#),
                ("unknown responses with long ids", #"{"jsonrpc":"2.0","result":1,"id":""#, #""}"#),
                (
                    "errors for no call, with long members",
                    #"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m","data":1,"x":""#, #""}}"#
                ),
                ("malformed messages", #"{"jsonrpc":""#, ""),
                ("unhandled requests with long names", #"{"jsonrpc":"2.0","id":1,"method":""#, #""}"#),
            ] {
                try await MemoryRow(limit: "events that wait for a reader", attack: attack, documented: 64 << 20)
                    .measure {
                        let peer = HostilePeer()
                        let events = peer.session.events
                        for _ in 0..<24 { peer.send(before, padding: 4 * megabyte, after) }
                        return (peer, events)
                    }
            }
        }
    }

    @Test(.startsProcess) func aHandlerOfNotifications() async {
        await #expect(processExitsWith: .success) {
            for (attack, before, after) in [
                ("long params", #"{"jsonrpc":"2.0","method":"n","params":[""#, #""]}"#),
                ("long names", #"{"jsonrpc":"2.0","method":""#, #""}"#),
                ("long extra members", #"{"jsonrpc":"2.0","method":"n","x":""#, #""}"#),
            ] {
                try await MemoryRow(
                    limit: "notifications that wait for a handler", attack: attack, documented: 64 << 20
                )
                .measure {
                    let (peer, gate) = (HostilePeer(), HandlerGate())
                    peer.session.setFallbackNotificationHandler { _ in await gate.wait() }
                    for _ in 0..<24 { peer.send(before, padding: 4 * megabyte, after) }
                    return (peer, gate)
                }
            }
        }
    }
}
