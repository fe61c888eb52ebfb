// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequestsTesting
import HTTPTypes
import JSONRPCHTTP
import TestSupport
import TestTurns
import Testing
import WireJSON

/// The samples of the documentation.
@Suite(.inTurn(within: .seconds(60)))
struct SampleTests {
    private func getBlock(_ rpc: JSONRPCHTTPClient) async throws -> JSONValue {
        do {
            return try await rpc.call("getBlock", params: [7])
        } catch let error as ErrorObject {
            print(error.code, error.httpAnswer?.status.code ?? 0)
        } catch let error as ClientError {
            print(error.code, error.httpAnswer?.status.code ?? 0, error.isRetryable)
        }
        return .null
    }

    private func getBlockSimply(_ rpc: JSONRPCHTTPClient) async throws -> JSONValue {
        do {
            return try await rpc.call("getBlock", params: [7])
        } catch let error as ErrorObject {
            print(error.code, error.httpAnswer?.status.code ?? 0)
        }
        return .null
    }

    @Test func errorsAreCaughtByTheirTypes() async throws {
        let answers = FakeServer(replies: [
            .text(#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#, .notFound),
            .text("", .badGateway),
            .text(#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"m"}}"#, .notFound),
        ])
        let rpc = JSONRPCHTTPClient.over(answers)
        #expect(try await getBlock(rpc) == .null)
        #expect(try await getBlock(rpc) == .null)
        #expect(try await getBlockSimply(rpc) == .null)
    }

    @Test func aMockTransportAnswers() async throws {
        let transport = MockHTTPTransport(reply: .json(#"{"jsonrpc":"2.0","id":1,"result":19}"#))
        let rpc = JSONRPCHTTPClient(url: "http://example.com/rpc", over: transport)
        #expect(try await rpc.call("subtract", params: [42, 23], as: Int.self) == 19)
        #expect(transport.requests.first?.text == #"{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}"#)
    }

    @Test func batchesOfYourOwn() async throws {
        let rpc = JSONRPCHTTPClient.over(FakeServer.arithmetic())
        let (first, second) = try await rpc.results(Subtract(42, 23), Subtract(23, 42))
        let outcomes = try await rpc.batch((0..<100).map { Subtract($0) })
        #expect((first, second) == (.success(19), .success(-19)))
        #expect(outcomes == (0..<100).map { .success($0) })
    }

    @Test func resultsBeforeTheEndOfTheAnswer() async throws {
        let rpc = JSONRPCHTTPClient.over(FakeServer.arithmetic()) { options in
            options.batchConcurrency = BatchConcurrency(maximumMembers: 1, maximumRequests: 16)
        }
        let entries = try (0..<100).map { try BatchEntry.call("subtract", params: [$0, 1]) }
        try await rpc.batch(entries, timeout: .seconds(5), pace: .asTheyCome) { index, outcome in print(index, outcome)
        }
    }

    #if AsyncHTTPClient
        private struct Tokens: Sendable {
            func current() async throws -> String { "t" }
        }

        /// Nothing listens at these URLs.
        @Test func clientsWithTheDefaultTransport() async throws {
            let tokens = Tokens()
            var options = JSONRPCHTTPOptions()
            options.headerFields = [.userAgent: "example/1.0"]
            options.prepare = { $0.headerFields[.authorization] = "Bearer \(try await tokens.current())" }
            let rpc = JSONRPCHTTPClient(url: "https://example.org/rpc", options: options)
            let german = rpc.adding(headerFields: [.acceptLanguage: "de"])
            #expect(german.headerFields[.acceptLanguage] == "de")
            #expect(rpc.headerFields.isEmpty)
        }

        private func gather() async throws -> (Int, Int) {
            var options = JSONRPCHTTPOptions()
            options.gathering = CallGathering()
            let rpc = JSONRPCHTTPClient(url: "http://127.0.0.1:8080/rpc", options: options)
            async let first = rpc.call(Subtract(42, 23))
            async let second = rpc.call(Subtract(23, 42))
            return try await (first, second)
        }

        private func askAria2() async throws -> [JSONValue] {
            let rpc = JSONRPCHTTPClient(url: "http://127.0.0.1:6800/jsonrpc")
            let version: JSONValue = try await rpc.call("aria2.getVersion")
            let (active, stopped) = try await rpc.batch(
                MethodCall("aria2.tellActive", as: JSONValue.self),
                MethodCall("aria2.tellStopped", params: [0, 10], as: JSONValue.self))
            return [version, active, stopped]
        }
    #endif
}
