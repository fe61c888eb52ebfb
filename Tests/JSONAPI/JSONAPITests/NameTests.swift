// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import JSONRPCCore
import TestTurns
import Testing

/// A program can use JSON:API and JSON-RPC in one file, so no two types may have the same name.
@Suite("Names", .inTurn)
struct NameTests {
    private func describe(_ error: any Error) -> String {
        switch error {
        case let error as ErrorObject: "JSON-RPC \(error.code)"
        case let error as ClientError: "JSON-RPC \(error.code)"
        case let error as JSONAPIErrorObject: "JSON:API \(error.status ?? "")"
        case JSONAPIClientError.failure(_, let body, _): "JSON:API \(body?.count ?? 0)"
        default: "unknown"
        }
    }

    @Test func errorsOfBothModulesCanBeNamed() {
        #expect(describe(ErrorObject(code: 7, message: "No")) == "JSON-RPC 7")
        #expect(describe(ClientError(.timedOut, "late")) == "JSON-RPC timedOut")
        #expect(describe(JSONAPIErrorObject(status: "422")) == "JSON:API 422")
        #expect(describe(JSONAPIClientError.failure(nil, [1, 2])) == "JSON:API 2")
    }
}
