// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import TaskWaits
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

/// The order of a result and the notifications before it.
@Suite(.inTurn(within: .seconds(60))) struct NotificationsHandledTests {
    /// Lets a handler wait until the test opens it.
    private final class Door: Sendable {
        private let signal = OneTimeSignal()

        func open() { signal.fulfil(.success(())) }

        func pass() async throws { try await signal.wait() }
    }

    private func tick(_ count: Int, _ wire: Wire) throws {
        for number in 0..<count { try wire.peer.notify("tick", params: [.number(JSONNumber(Int64(number)))]) }
    }

    @Test func allNotificationsBeforeAResultAreHandled() async throws {
        let wire = await Wire()
        let handled = EventLog<Int>()
        wire.session.handleNotification("tick") { (params: [Int]) in
            for _ in 0..<20 { await Task.yield() }
            handled.record(params[0])
        }
        for round in 1...5 {
            async let result: Int = wire.session.call("count")
            let request = try await wire.peer.expectRequest("count")
            try tick(100, wire)
            try wire.peer.reply(to: request, result: 100)
            #expect(try await result == 100)
            try await wire.session.notificationsHandled()
            #expect(handled.elements.count == round * 100)
        }
        #expect(handled.elements.suffix(100) == ArraySlice(0..<100))
        await wire.session.close()
    }

    @Test func severalHandlersAreWaitedFor() async throws {
        let wire = await Wire()
        let handled = EventLog<String>()
        wire.session.setFallbackNotificationHandler { call in
            for _ in 0..<20 { await Task.yield() }
            handled.record(call.method)
        }
        wire.session.handleNotification("b") { handled.record("b") }
        for _ in 0..<10 { for method in ["a", "b", "c"] { try wire.peer.notify(method) } }
        try await wire.roundTrip()
        try await wire.session.notificationsHandled()
        #expect(handled.elements.count == 30)
        await wire.session.close()
    }

    @Test func withoutNotificationsItReturnsImmediately() async throws {
        let wire = await Wire()
        try await wire.session.notificationsHandled()
        wire.session.handleNotification("tick") { Issue.record("There is no notification.") }
        try await wire.session.notificationsHandled()
        await wire.session.close()
        try await wire.session.notificationsHandled()
    }

    @Test func droppedNotificationsAreNotWaitedFor() async throws {
        let wire = await Wire(.with { $0.inbound.notificationBuffer = 2 })
        let (door, handled) = (Door(), EventLog<Int>())
        wire.session.handleNotification("tick") { (params: [Int]) in
            try await door.pass()
            handled.record(params[0])
        }
        try tick(100, wire)
        try await wire.roundTrip()
        async let all: Void = wire.session.notificationsHandled()
        door.open()
        try await all
        #expect((2...3).contains(handled.elements.count))
        await wire.session.close()
    }

    /// The ways in which a handler ends while it has notifications to handle.
    enum Ending: CaseIterable { case removed, replaced, closed }

    @Test(arguments: Ending.allCases, [false, true])
    func aHandlerThatIsTakenAwayIsWaitedFor(_ ending: Ending, beforeTheWait: Bool) async throws {
        let wire = await Wire()
        let (door, entered, handled) = (Door(), EventLog<Int>(), EventLog<Int>())
        wire.session.handleNotification("tick") { (params: [Int]) in
            entered.record(params[0])
            try await door.pass()
            handled.record(params[0])
        }
        try tick(10, wire)
        try await wire.roundTrip()
        await entered.wait(count: 1)
        let waits = EventLog<Int>()
        let before = beforeTheWait ? nil : Task { try await waiting(wire.session, waits) }
        if !beforeTheWait { await waits.wait(count: 1) }
        switch ending {
        case .removed: wire.session.removeNotificationHandler(for: "tick")
        case .replaced: wire.session.handleNotification("tick") {}
        case .closed: await wire.session.close(drain: .zero)
        }
        let wait = before ?? Task { try await waiting(wire.session, waits) }
        await waits.wait(count: 1)
        #expect(handled.elements.isEmpty)
        door.open()
        try await wait.value
        #expect(handled.elements.count == 10)
        await wire.session.close()
    }

    private func waiting(_ session: DuplexSession, _ begun: EventLog<Int>) async throws {
        begun.record(1)
        try await session.notificationsHandled()
    }

    @Test func aHandlerDoesNotWaitForItself() async throws {
        let wire = await Wire()
        let handled = EventLog<Int>()
        let session = wire.session
        session.handleNotification("tick") { (params: [Int]) in
            try await session.notificationsHandled()
            try await withThrowingTaskGroup { group in
                group.addTask { try await session.notificationsHandled() }
                try await group.waitForAll()
            }
            handled.record(params[0])
        }
        try tick(3, wire)
        await handled.wait(count: 3)
        await session.close()
    }

    @Test func aCancelledTaskStopsWaiting() async throws {
        let wire = await Wire()
        let (door, handled) = (Door(), EventLog<Int>())
        wire.session.handleNotification("tick") { (params: [Int]) in
            try await door.pass()
            handled.record(params[0])
        }
        try tick(1, wire)
        try await wire.roundTrip()
        let wait = Task { try await wire.session.notificationsHandled() }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
        #expect(handled.elements.isEmpty)
        door.open()
        try await wire.session.notificationsHandled()
        #expect(handled.elements == [0])
        await wire.session.close()
    }

    @Test func manyTasksWaitAtOnce() async throws {
        let wire = await Wire(.with { $0.inbound.notificationBuffer = 4000 })
        let handled = EventLog<Int>()
        wire.session.handleNotification("tick") { (params: [Int]) in handled.record(params[0]) }
        try await withThrowingDiscardingTaskGroup { group in
            for _ in 0..<40 {
                try tick(50, wire)
                try await wire.roundTrip()
                let count = handled.elements.count
                group.addTask {
                    try await wire.session.notificationsHandled()
                    #expect(handled.elements.count >= count)
                }
            }
        }
        #expect(handled.elements.count == 2000)
        await wire.session.close()
    }

    @Test func aClientWaitsForItsHandlers() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        let handled = EventLog<Int>()
        client.handleNotification("tick") { (params: [Int]) in
            for _ in 0..<20 { await Task.yield() }
            handled.record(params[0])
        }
        try await client.connect()
        async let result: Int = client.call("count")
        let request = try await peer.expectRequest("count")
        for _ in 0..<50 { try peer.notify("tick", params: [1]) }
        try peer.reply(to: request, result: 50)
        #expect(try await result == 50)
        try await client.notificationsHandled()
        #expect(handled.elements.count == 50)
        await client.close()
    }
}
