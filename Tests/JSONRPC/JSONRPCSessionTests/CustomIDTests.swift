// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestTurns
import Testing
import WireJSON

/// The program's generator is called without the session's lock. Here it asks the session, which takes that lock.
@Suite(.inTurn(within: .seconds(60)))
struct CustomIDTests {
    private final class Generator: Sendable {
        private let state = Mutex<(session: DuplexSession?, next: Int64)>((nil, 100))

        func attach(_ session: DuplexSession?) { state.withLock { $0.session = session } }

        func next() -> RequestID {
            _ = state.withLock { $0.session }?.callsInFlight
            return state.withLock { state in
                state.next += 1
                return .number(state.next)
            }
        }
    }

    @Test func callsBatchesAndWaitingCallsDrawIDsWithoutTheLock() async throws {
        let generator = Generator()
        let wire = await Wire(
            .with {
                $0.calls.idGenerator = CustomIDGenerator { generator.next() }
                $0.calls.maximumInFlight = 2
            })
        generator.attach(wire.session)
        async let results = wire.session.batch([MethodCall("a", as: Int.self), MethodCall("b", as: Int.self)])
        let members = try await wire.peer.expectBatch(count: 2)
        #expect(members.map { $0["id"] } == [101, 102])
        async let waiting: Int = wire.session.call("c")
        try await wire.untilIssued(3)
        try wire.peer.send(#"[{"jsonrpc":"2.0","id":101,"result":1},{"jsonrpc":"2.0","id":102,"result":2}]"#)
        #expect(try await results.map { try $0.get() } == [1, 2])
        let request = try await wire.peer.expectRequest("c")
        #expect(request.id == 103)
        try wire.peer.reply(to: request, result: 3)
        #expect(try await waiting == 3)
        generator.attach(nil)
        await wire.session.close()
    }
}
