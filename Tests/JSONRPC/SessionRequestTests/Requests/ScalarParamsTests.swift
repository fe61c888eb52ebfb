// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60)))
struct ScalarParamsTests {
    @Test func theCompilerWarnsOfParamsThatAreNoContainer() async throws {
        let complaints = try await compilerComplaints(about: [
            "Calls.swift": """
            import JSONRPCSession
            func make(_ client: JSONRPCClient, count: Int, name: String, both: ByName) async throws {
                let a: Int = try await client.call("m", params: 5)
                try await client.call("m", params: "five")
                try await client.notify("m", params: true)
                let b = await client.result(of: "m", params: count, as: Int.self)
                let c: Int = try await client.call("m", params: name)
                try await client.call("m", params: [5])
                try await client.call("m", params: ["five", 5])
                try await client.call("m", params: both)
                let d: Int = try await client.call("m", params: ["a": count])
                _ = (a, b, c, d)
            }
            """
        ])
        #expect(complaints.map(\.line) == [3, 4, 5, 6, 7], "\(complaints)")
        #expect(complaints.allSatisfy { $0.message.contains("params must be an array or an object") })
    }
}
