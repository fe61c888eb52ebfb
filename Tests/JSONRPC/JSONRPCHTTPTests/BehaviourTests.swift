// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

/// The behaviours that are expected of calls over every transport.
@Suite("JP: calls by request types over HTTP", .inTurn(within: .seconds(60)))
struct BehaviourTests {
    enum Way: CaseIterable {
        /// Each call is a POST.
        case single
        /// Calls that are made together share a POST.
        case gathered
        /// The client is the transport of another caller.
        case asTransport
        /// Calls are gathered before the client gets them.
        case batchingCaller
    }

    /// A server that answers like the suite's servers over other transports, with 204 if there is no answer.
    private func server(_ service: ArithmeticService) -> FakeServer {
        let base = InMemoryDataTransport(service)
        return FakeServer { arrival in
            let answer = try await base.exchange(arrival.body, expectsResponse: true)
            return answer.isEmpty
                ? .text("", .noContent, fields: [:])
                : .text(String(decoding: answer, as: UTF8.self), fields: [.contentType: "application/json-rpc"])
        }
    }

    private func caller(_ way: Way, _ server: FakeServer) -> any JSONRPCCaller {
        switch way {
        case .single: JSONRPCHTTPClient.over(server)
        case .gathered: JSONRPCHTTPClient.over(server) { $0.gathering = CallGathering() }
        case .asTransport: TransportCaller(over: CallerTransport(over: JSONRPCHTTPClient.over(server)))
        case .batchingCaller: BatchingCaller(over: JSONRPCHTTPClient.over(server), window: .zero)
        }
    }

    @Test("JP: its cases of types and errors, as calls", arguments: Way.allCases, ParamStructure.allCases)
    func calls(way: Way, structure: ParamStructure) async throws {
        #expect(RequestBehaviour.all.count == 21)
        let caller = caller(way, server(ArithmeticService()))
        for behaviour in RequestBehaviour.all {
            await #expect(throws: Never.self, "\(behaviour)") { try await behaviour.run(caller, structure) }
        }
    }

    @Test("JP: its cases of types and errors, at the same time", arguments: ParamStructure.allCases)
    func callsTogether(structure: ParamStructure) async throws {
        let server = server(ArithmeticService())
        let all = RequestBehaviour.all
        let rpc = JSONRPCHTTPClient.over(server) {
            $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: all.count)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for behaviour in all { group.addTask { try await behaviour.run(rpc, structure) } }
            try await group.waitForAll()
        }
        #expect(server.arrivals.elements.map(\.members.count) == [all.count])
    }

    @Test(arguments: Way.allCases) func batchesAndNotifications(way: Way) async throws {
        let service = ArithmeticService()
        let caller = caller(way, server(service))
        let (first, _, third, fourth) = try await caller.results(
            Subtract(42, 23), Log("in a batch"), MethodCall("unknown"),
            MethodCall("sum", params: [1, 2, 4], as: Int.self))
        #expect(first == .success(19))
        #expect(third == .failure(.answered(ErrorObject(.methodNotFound))))
        #expect(fourth == .success(7))
        let many = try await caller.batch((0..<50).map { Subtract($0, 1) })
        #expect(many == (0..<50).map { .success($0 - 1) })
        try await caller.call(Log("alone"))
        #expect(service.notifications == [#"log ["in a batch"]"#, #"log ["alone"]"#])
    }
}
