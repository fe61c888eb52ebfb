// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import WireJSON

extension SessionBehaviour {
    /// A call is answered before an earlier one.
    static func answersInAnyOrder(_ link: SessionLink) async throws {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let pair = try await Linked(link) { server in
            server.handle("first") {
                for await _ in gate { break }
                return 1
            }
            server.handle("second") { 2 }
        }
        async let first: Int = pair.client.call("first")
        let second: Int = try await pair.client.call("second")
        try expect(second == 2, "The second call got \(second).")
        opener.yield()
        let late = try await first
        try expect(late == 1, "The first call got \(late).")
        try await pair.end()
    }

    static func manyCallsAtOnce(_ link: SessionLink) async throws {
        let pair = try await Linked(link) { server in
            server.handle("echo") { (params: [Int]) in params }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let echo: [Int] = try await pair.client.call("echo", params: [number])
                    try expect(echo == [number], "\(number) came back as \(echo).")
                }
            }
            try await group.waitForAll()
        }
        try expect(pair.client.callCounts.issued == 1000, "\(pair.client.callCounts) calls were issued.")
        try await pair.end()
    }

    static func errorsTravelAsTheyAre(_ link: SessionLink) async throws {
        let thrown = ErrorObject(code: 77, message: "no ü", data: try RawJSON(validating: #"{"a":[1,null]}"#))
        let pair = try await Linked(link) { server in
            server.handle("fail") { () -> Int in throw thrown }
        }
        let error = try await failure { try await pair.client.callRaw("fail") }
        try expect(error as? ErrorObject == thrown, "What came is \(error).")
        let unknown = try await failure { try await pair.client.callRaw("none") }
        try expect((unknown as? ErrorObject)?.code == .methodNotFound, "What came is \(unknown).")
        try await pair.end()
    }

    static func batchIsAnsweredMemberByMember(_ link: SessionLink) async throws {
        let pair = try await Linked(link) { server in
            server.handle("echo") { (params: [Int]) in params }
        }
        let outcomes = try await pair.client.batch([
            .call("echo", params: [1]), .notification("note"), .call("none"), .call("echo", params: [2]),
        ])
        try expect(outcomes.count == 4, "There are \(outcomes.count) outcomes.")
        try expect(try outcomes[0]?.get().text == "[1]", "The first outcome is \(outcomes[0] as Any).")
        try expect(outcomes[1] == nil, "A notification got an answer.")
        if case .failure(.answered(let error)) = outcomes[2], error.code == .methodNotFound {
        } else {
            throw BehaviourFailure(description: "The third outcome is \(outcomes[2] as Any).")
        }
        try expect(try outcomes[3]?.get().text == "[2]", "The fourth outcome is \(outcomes[3] as Any).")
        try await pair.end()
    }

    /// Messages that are longer than all buffers between the sessions.
    static func largeMessagesComeWhole(_ link: SessionLink) async throws {
        let pair = try await Linked(link) { server in
            server.setFallbackHandler { $0.params ?? .null }
        }
        for size in [1 << 16, (1 << 20) + 7, 3_000_000] {
            let text = String(repeating: "ä0", count: size / 3)
            let echo: [String] = try await pair.client.call("echo", params: [text])
            try expect(echo == [text], "A text of \(size) bytes came back changed.")
        }
        try await pair.end()
    }

    static func timeoutHarmsNoOtherCall(_ link: SessionLink) async throws {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let pair = try await Linked(link) { server in
            server.handle("slow") {
                for await _ in gate { break }
                return 1
            }
            server.handle("quick") { 2 }
        }
        let error = try await failure { try await pair.client.callRaw("slow", timeout: .milliseconds(20)) }
        try expect((error as? ClientError)?.code == .timedOut, "What came is \(error).")
        opener.yield()
        let quick: Int = try await pair.client.call("quick")
        try expect(quick == 2, "The other call got \(quick).")
        try await pair.end()
    }
}
