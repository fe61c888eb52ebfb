// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import SessionTestSupport
import TestTurns
import Testing

@Suite("JP: calls by request types over WebSocket", .inTurn(within: .seconds(60)))
struct RequestBehaviourTests {
    @Test("JP: its cases of types and errors, as calls", arguments: ParamStructure.allCases)
    func calls(structure: ParamStructure) async throws {
        let service = ArithmeticService()
        let listener = try await JSONRPCListener.listen(accept: service.serve)
        let client = JSONRPCClient(connector: WebSocketConnector.patient(to: listener.url))
        try await client.connect()
        #expect(RequestBehaviour.all.count == 21)
        for behaviour in RequestBehaviour.all {
            await #expect(throws: Never.self, "\(behaviour)") { try await behaviour.run(client, structure) }
            let asTransport = TransportCaller(over: CallerTransport(over: client))
            await #expect(throws: Never.self, "\(behaviour)") { try await behaviour.run(asTransport, structure) }
        }
        let (sum, _, missing) = try await client.results(
            MethodCall("sum", params: [1, 2, 4], as: Int.self), MethodNotification("note"), MethodCall("unknown"))
        #expect(sum == .success(7))
        #expect(missing == .failure(.answered(ErrorObject(.methodNotFound))))
        await client.close()
        await listener.stop()
    }
}
