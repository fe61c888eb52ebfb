// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

/// JRPCProxy's cases over each kind of transport. JSONRPCWebSocketTests has the same cases over WebSocket.
@Suite("JP: proxy or transport does JSON", .inTurn(within: .seconds(60)))
struct TransportStrategyTests {
    enum Strategy: CaseIterable {
        /// A transport in the process that takes objects.
        case object
        /// One that takes bytes.
        case data
        /// A session, which does its own serialization.
        case session
        /// A session as the transport of another caller.
        case sessionAsTransport

        func withCaller(_ body: (any JSONRPCCaller, ArithmeticService) async throws -> Void) async throws {
            let service = ArithmeticService()
            switch self {
            case .object: try await body(TransportCaller(over: InMemoryObjectTransport(service)), service)
            case .data: try await body(TransportCaller(over: InMemoryDataTransport(service)), service)
            case .session, .sessionAsTransport:
                let server = DuplexSession()
                service.serve(server)
                let client = DuplexSession()
                try await InMemoryConnector { server.receiver }.connect(receiver: client.receiver)
                try await body(
                    self == .session ? client : TransportCaller(over: CallerTransport(over: client)), service)
                await client.close()
            }
        }
    }

    @Test("JP: its cases of types and errors, as calls", arguments: Strategy.allCases, ParamStructure.allCases)
    func calls(strategy: Strategy, structure: ParamStructure) async throws {
        #expect(RequestBehaviour.all.count == 21)
        try await strategy.withCaller { caller, _ in
            for behaviour in RequestBehaviour.all {
                await #expect(throws: Never.self, "\(behaviour)") { try await behaviour.run(caller, structure) }
            }
        }
    }

    @Test(arguments: Strategy.allCases)
    func batchesAndNotifications(strategy: Strategy) async throws {
        try await strategy.withCaller { caller, service in
            let subtract = Subtract(minuend: 42, subtrahend: 23)
            let (first, _, third, fourth) = try await caller.results(
                subtract, Log("in a batch"), MethodCall("unknown"), MethodCall("sum", params: [1, 2, 4], as: Int.self))
            #expect(first == .success(19))
            #expect(third == .failure(.answered(ErrorObject(.methodNotFound))))
            #expect(fourth == .success(7))
            let many = try await caller.batch((0..<50).map { Subtract(minuend: $0, subtrahend: 1) })
            #expect(many == (0..<50).map { .success($0 - 1) })
            var indices: Set<Int> = []
            for await (index, result) in try caller.outcomesAsTheyCome([subtract, subtract, subtract]) {
                #expect(result == .success(19))
                indices.insert(index)
            }
            #expect(indices == [0, 1, 2])
            // Its answer follows the messages that were sent before.
            try await caller.call(Log("alone"))
            #expect(try await caller.call(subtract) == 19)
            await service.log.wait(count: 2)
            #expect(service.notifications == [#"log ["in a batch"]"#, #"log ["alone"]"#])
        }
    }
}
