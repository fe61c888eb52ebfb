// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import JSONRPCHTTP
    import JSONRPCMacros
    import TestSupport
    import TestTurns
    import Testing

    @JSONRPCProxy
    private protocol Downloads {
        @RPC("system.listMethods") func methods() async throws -> [String]
        @RPCSubscription("aria2.watch", unsubscribe: "aria2.unwatch") func watch() async throws -> Subscription<
            JSONValue
        >
    }

    /// A proxy with a subscription, against aria2 over HTTP.
    @Suite(.inTurn(within: .seconds(60)))
    struct HTTPSubscriptionTests {
        @Test func theSubscriptionIsATypedErrorAndCallsWork() async throws {
            try await Aria2.run(scheme: "http") { url, _, _ in
                let posts = EventLog<Int>()
                var options = JSONRPCHTTPOptions()
                options.observe = { if case .posted(let report) = $0 { posts.record(report.members) } }
                let downloads = DownloadsProxy(over: JSONRPCHTTPClient(url: url, options: options))
                let failure = await #expect(throws: ClientError.self) { try await downloads.watch() }
                guard
                    case .notificationsUnsupported(method: "aria2.watch")? = failure?.cause as? JSONRPCHTTPError
                else {
                    Issue.record("The error is \(String(describing: failure)).")
                    return
                }
                #expect(failure?.isRetryable == false)
                #expect(posts.elements.isEmpty)
                let methods = try await downloads.methods()
                #expect(methods.contains("aria2.getVersion"))
                #expect(posts.elements == [1])
            }
        }
    }
#endif
