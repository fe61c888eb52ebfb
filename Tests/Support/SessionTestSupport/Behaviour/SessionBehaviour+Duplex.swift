// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import TestSupport
import WireJSON

extension SessionBehaviour {
    static func notificationsKeepTheirOrder(_ link: SessionLink) async throws {
        let received = EventLog<Int>()
        let pair = try await Linked(link) { server in
            server.handleNotification("up") { (params: [Int]) in received.record(params[0]) }
        }
        let stream = pair.client.notifications("down", as: [Int].self, overflow: .dropOldest(capacity: 1000))
        for number in 0..<500 {
            try await pair.client.notify("up", params: [number])
            try await pair.server.notify("down", params: [number])
        }
        let up = await received.wait(count: 500)
        try expect(up == Array(0..<500), "The server got them as \(up).")
        var down: [NotificationElement<[Int]>] = []
        for try await element in stream {
            down.append(element)
            if down.count == 500 { break }
        }
        try expect(down == (0..<500).map { .value([$0]) }, "The client got them as \(down).")
        try await pair.end()
    }

    /// A handler makes a call back while its caller waits. Both calls have the same id.
    static func serverCallsItsClient(_ link: SessionLink) async throws {
        let pair = try await Linked(link) { server in
            server.handle("outer") { (params: [Int], call: InboundCall) -> Int in
                try await call.session.call("inner", params: params)
            }
        }
        pair.client.handle("inner") { (params: [Int]) in params.reduce(0, +) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let sum: Int = try await pair.client.call("outer", params: [number, 1])
                    try expect(sum == number + 1, "\(number) + 1 came back as \(sum).")
                }
            }
            try await group.waitForAll()
        }
        try await pair.end()
    }

    static func cancellationReachesTheHandler(_ link: SessionLink) async throws {
        let log = EventLog<String>()
        var configuration = SessionConfiguration()
        configuration.calls.cancellationNotice = .cancelRequest
        let pair = try await Linked(link, client: configuration) { server in
            // The server does not implement these notices, so they are notifications.
            server.handleNotification("$/cancelRequest") { (params: [String: Int]) in
                log.record("cancel \(params["id"] ?? 0)")
            }
            server.handle("endless") { () -> Int in
                log.record("started")
                let (endless, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in endless {}
                return 1
            }
        }
        let task = Task { try await pair.client.callRaw("endless") }
        await log.wait(count: 1)
        task.cancel()
        let error = try await failure { try await task.value }
        try expect(error is CancellationError, "What came is \(error).")
        let told = await log.wait(count: 2)
        try expect(told == ["started", "cancel 1"], "The server was told \(told).")
        await pair.client.close(drain: .zero)
        try await pair.end()
    }

    static func closeLetsCallsEnd(_ link: SessionLink) async throws {
        let log = EventLog<String>()
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let pair = try await Linked(link) { server in
            server.handle("slow") {
                log.record("started")
                for await _ in gate { break }
                return 1
            }
        }
        async let answer: Int = pair.client.call("slow")
        await log.wait(count: 1)
        let states = pair.client.events
        async let closing: Void = pair.client.close()
        for await event in states {
            if case .stateChanged(.draining) = event { break }
        }
        let refused = try await failure { try await pair.client.callRaw("slow") }
        try expect((refused as? ClientError)?.delivery == .notSent, "A late caller got \(refused).")
        opener.yield()
        let result = try await answer
        try expect(result == 1, "The call in flight got \(result).")
        await closing
        try expect(pair.client.closure?.code == 1000, "The close code is \(pair.client.closure?.code as Any).")
        try await pair.end()
    }

    static func closeByThePeerFailsCalls(_ link: SessionLink) async throws {
        let log = EventLog<String>()
        let pair = try await Linked(link) { server in
            server.handle("endless") { () -> Int in
                log.record("started")
                let (endless, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in endless {}
                return 1
            }
        }
        async let failing = failure { try await pair.client.callRaw("endless") }
        await log.wait(count: 1)
        await pair.server.close(code: 4001, reason: "over", drain: .zero)
        let error = try await failing as? ClientError
        try expect(error?.code == .connectionLost, "What came is \(error as Any).")
        try expect(error?.closeCode == 4001, "The close code is \(error?.closeCode as Any).")
        try expect(error?.delivery == .outcomeUnknown, "The delivery is \(error?.delivery as Any).")
        await pair.client.closed()
        try expect(pair.client.closure?.reason == "over", "The reason is \(pair.client.closure?.reason as Any).")
        try await pair.end()
    }
}
