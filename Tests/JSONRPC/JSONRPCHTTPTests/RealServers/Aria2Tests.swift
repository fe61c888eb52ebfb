// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClientTransport
    import HTTPTypes
    import JSONRPCHTTP
    import TestSupport
    import TestTurns
    import Testing
    import WireJSON

    /// Calls of aria2, a download manager, over HTTP.
    @Suite(.inTurn(within: .seconds(120)))
    struct Aria2Tests {
        /// Runs aria2, and passes on a client of it with its own connections.
        private func withAria2(
            _ change: (inout JSONRPCHTTPOptions) -> Void = { _ in },
            _ body: (JSONRPCHTTPClient) async throws -> Void
        ) async throws {
            try await Aria2.run(scheme: "http") { url, _, _ in
                var options = JSONRPCHTTPOptions()
                change(&options)
                let transport = AsyncHTTPClientTransport()
                try await body(JSONRPCHTTPClient(url: url, over: transport, options: options))
                await transport.shutDown()
            }
        }

        @Test func callsAndBatches() async throws {
            try await withAria2 { rpc in
                let version: JSONValue = try await rpc.call("aria2.getVersion")
                #expect(version["version"]?.stringValue?.isEmpty == false)
                let (active, unknown, stopped) = try await rpc.results(
                    MethodCall("aria2.tellActive", as: [JSONValue].self), MethodCall("aria2.nothing"),
                    MethodCall("aria2.tellStopped", params: [0, 10], as: [JSONValue].self))
                #expect(active == .success([]))
                #expect(unknown.callError?.errorObject != nil)
                #expect(stopped == .success([]))
                let many = try await rpc.batch(
                    (0..<100).map { _ in MethodCall("aria2.getVersion", as: JSONValue.self) })
                #expect(many.allSatisfy { $0 == .success(version) })
            }
        }

        /// aria2 answers errors with other statuses, and notifications with an error.
        @Test func errorsKeepTheirStatus() async throws {
            try await withAria2 { rpc in
                let unknown = try #require(await error { try await rpc.callRaw("aria2.nothing") } as? ErrorObject)
                #expect(unknown.code == 1)
                #expect(unknown.httpAnswer?.status == .badRequest)
                let notification = try #require(
                    await error { try await rpc.notify("aria2.getVersion") } as? ErrorObject)
                #expect(notification.httpAnswer?.status == .badRequest)
            }
        }

        @Test func gatheredCallsShareAFewPosts() async throws {
            let reports = EventLog<PostReport>()
            try await withAria2 {
                $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: 50)
                $0.observe = { if case .posted(let report) = $0 { reports.record(report) } }
            } _: { rpc in
                let tasks = (0..<100).map { _ in
                    Task { try await rpc.call("aria2.getGlobalStat", as: [String: String].self) }
                }
                for task in tasks {
                    let stat = try await task.value
                    #expect(stat["numActive"] == "0")
                }
            }
            // A call has its result before its POST has ended.
            #expect(await reports.wait(count: 2).map(\.members) == [50, 50])
            #expect(reports.elements.allSatisfy { $0.status == .ok && $0.missing == 0 })
        }

        @Test func nobodyListens() async throws {
            let port = try LoopbackPort.reserve()
            let rpc = JSONRPCHTTPClient(url: "http://127.0.0.1:\(port)/jsonrpc")
            let failure = try #require(await error { try await rpc.callRaw("aria2.getVersion") } as? ClientError)
            #expect(failure.code == .connectFailed)
            #expect(failure.delivery == .notSent)
            #expect(failure.isRetryable)
        }
    }
#endif
