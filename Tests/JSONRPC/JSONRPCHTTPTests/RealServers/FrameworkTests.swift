// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClientTransport
    import HTTPTypes
    import JSONRPCHTTP
    import TestSupport
    import TestTurns
    import Testing
    import URLSessionTransport
    import WireJSON

    /// Calls of servers that use four frameworks.
    @Suite(.inTurn(within: .seconds(120)))
    struct FrameworkTests {
        enum Framework: String, CaseIterable {
            case jsonrpc = "json-rpc"
            case jsonrpcserver
            case aiohttp = "aiohttp-rpc"
            case fastapi = "fastapi-jsonrpc"
        }

        private struct Echo: JSONRPCRequest {
            typealias Response = Int
            var value: Int
            var method: String { "echo" }
            var params: ByName { ["value": value] }
            var isIdempotent: Bool { true }
        }

        private struct Fail: JSONRPCRequest {
            typealias Response = Int
            var method: String { "fail" }
            var params: ByName { ["code": 77] }
        }

        private func with(
            _ framework: Framework, usesURLSession: Bool = false,
            configuration: SessionConfiguration = SessionConfiguration(),
            _ change: (inout JSONRPCHTTPOptions) -> Void = { _ in },
            _ body: (JSONRPCHTTPClient) async throws -> Void
        ) async throws {
            let python = try PeerProcess(
                Checkout.python, [Checkout.peerScript("jsonrpc_http_server.py"), framework.rawValue])
            try await withPeer(python, readyLine: "listening on port") { _, line in
                let port = try #require(line.split(separator: " ").last.flatMap { Int($0) })
                var options = JSONRPCHTTPOptions()
                change(&options)
                let transport: any HTTPTransport = usesURLSession ? URLSessionTransport() : AsyncHTTPClientTransport()
                try await body(
                    JSONRPCHTTPClient(
                        url: "http://127.0.0.1:\(port)/", over: transport, configuration: configuration,
                        options: options))
                if let transport = transport as? AsyncHTTPClientTransport { await transport.shutDown() }
                if let transport = transport as? URLSessionTransport { await transport.shutDown() }
            }
        }

        @Test(arguments: Framework.allCases, [true, false])
        func callsNotificationsAndBatches(framework: Framework, usesURLSession: Bool) async throws {
            try await with(framework, usesURLSession: usesURLSession) { rpc in
                #expect(try await rpc.call(Echo(value: 7)) == 7)
                let failure = try #require(await error { try await rpc.call(Fail()) } as? ErrorObject)
                #expect(failure.code == 77)
                #expect(failure.message == "as asked")
                #expect(failure.httpAnswer?.status == .ok)
                let unknown = await error { try await rpc.callRaw("none") } as? ErrorObject
                #expect(unknown?.code == .methodNotFound)
                try await rpc.notify("echo", params: ["value": 1])
                _ = try await rpc.batch([
                    .notification("echo", params: ["value": 1]), .notification("echo", params: ["value": 2]),
                ])
                let outcomes = try await rpc.batch((0..<100).map { Echo(value: $0) })
                #expect(outcomes == (0..<100).map { .success($0) })
                let (one, _, two, three) = try await rpc.results(
                    Echo(value: 1), MethodNotification("echo", params: ["value": 5]), Fail(), Echo(value: 3))
                #expect(one == .success(1))
                #expect(two.callError?.errorObject?.code == 77)
                #expect(three == .success(3))
            }
        }

        /// aiohttp decompresses requests.
        @Test func compressedRequestsAreAnswered() async throws {
            let reports = EventLog<PostReport>()
            try await with(.aiohttp) {
                $0.compression = RequestCompression(minimumBytes: 100)
                $0.observe = { if case .posted(let report) = $0 { reports.record(report) } }
            } _: { rpc in
                let outcomes = try await rpc.batch((0..<1000).map { Echo(value: $0) })
                #expect(outcomes == (0..<1000).map { .success($0) })
            }
            #expect(reports.elements.map(\.members) == [1000])
            // A member has about 65 bytes.
            #expect(reports.elements.allSatisfy { $0.status == .ok && $0.sentBytes < 30_000 })
        }

        @Test(arguments: Framework.allCases) func gatheredCalls(framework: Framework) async throws {
            let reports = EventLog<PostReport>()
            try await with(framework) {
                $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: 25)
                $0.observe = { if case .posted(let report) = $0 { reports.record(report) } }
            } _: { rpc in
                let tasks = (0..<50).map { number in Task { try await rpc.call(Echo(value: number)) } }
                for (number, task) in tasks.enumerated() {
                    let value = try await task.value
                    #expect(value == number)
                }
            }
            // A call has its result before its POST has ended.
            #expect(await reports.wait(count: 2).map(\.members) == [25, 25])
        }

        /// If the version is missing, these servers refuse a whole batch with one error.
        @Test(arguments: [Framework.jsonrpc, .jsonrpcserver])
        func oneErrorForAWholeBatchIsTheOutcomeOfEachCall(framework: Framework) async throws {
            try await with(framework, configuration: .with { $0.version = .omitted }) { rpc in
                let outcomes = try await rpc.batch([Echo(value: 1), Echo(value: 2)])
                #expect(outcomes.map { $0.callError?.errorObject?.code } == [.invalidRequest, .invalidRequest])
                #expect(outcomes.map { $0.callError?.httpAnswer?.status } == [.ok, .ok])
            }
        }
    }
#endif
