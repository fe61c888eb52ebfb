// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import Aria2Dashboard
    import HTTPTypes
    import JSONRPCHTTP
    import JSONRPCMacros
    import TestSupport
    import TestTurns
    import Testing

    /// The proxy of the example, with aria2 over HTTP.
    @Suite(.serialized, .inTurn(within: .seconds(60)))
    struct Aria2HTTPTests {
        private let nowhere = "http://127.0.0.1:9/nothing"

        /// Runs aria2. Passes on a proxy, its client, and the numbers of members of its POSTs.
        private func withProxy(
            gathering: CallGathering? = nil,
            _ body: (Aria2RPCProxy, JSONRPCHTTPClient, EventLog<Int>) async throws -> Void
        ) async throws {
            try await Aria2.run(scheme: "http") { url, _, _ in
                let posts = EventLog<Int>()
                var options = JSONRPCHTTPOptions()
                options.gathering = gathering
                options.observe = { if case .posted(let report) = $0 { posts.record(report.members) } }
                let rpc = JSONRPCHTTPClient(url: url, options: options)
                try await body(Aria2RPCProxy(over: rpc), rpc, posts)
            }
        }

        @Test func eachCallIsAPost() async throws {
            try await withProxy { aria2, _, posts in
                let version = try await aria2.getVersion()
                #expect(version.version.hasPrefix("1."))
                let paused = ["pause": "true"]
                let first = try await aria2.addUri([nowhere], options: ["pause": "true", "out": "x.bin"])
                let second = try await aria2.addUri([nowhere + "/2"], options: paused, position: 0)
                #expect(try await aria2.tellWaiting().map(\.gid) == [second, first])
                #expect(try await aria2.changePosition(first, 0, how: .beginning) == 0)
                #expect(try await aria2.getOption(first)["out"] == "x.bin")
                #expect(try await aria2.remove(first) == first)
                let error = await #expect(throws: ErrorObject.self) {
                    try await aria2.tellStatus(GID("0123456789abcdef"))
                }
                #expect(error?.code == 1)
                #expect(error?.httpAnswer?.status == .badRequest)
                #expect(posts.elements == Array(repeating: 1, count: 8))
            }
        }

        @Test func requestsOfTheProxyShareABatch() async throws {
            try await withProxy { aria2, rpc, posts in
                let requests = Aria2RPCProxy.requests
                let (version, stat, unknown, methods) = try await rpc.results(
                    requests.getVersion(), requests.getGlobalStat(),
                    requests.tellStatus(GID("0123456789abcdef"), keys: nil), requests.listMethods())
                #expect(try version.get().version.hasPrefix("1."))
                #expect(try stat.get().numActive == "0")
                guard case .failure(.answered(let error)) = unknown else {
                    Issue.record("An unknown download has a status.")
                    return
                }
                #expect(error.code == 1)
                #expect(try methods.get().contains("aria2.addUri"))
                let added = try await rpc.batch(
                    (0..<20).map { requests.addUri([nowhere + "/\($0)"], options: ["pause": "true"], position: nil) })
                let gids = try added.map { try $0.get() }
                #expect(Set(gids).count == 20)
                #expect(try await aria2.tellWaiting().map(\.gid) == gids)
                #expect(posts.elements == [4, 20, 1])
            }
        }

        @Test func callsOfTheProxyAreGathered() async throws {
            try await withProxy(gathering: CallGathering(window: .seconds(3600), maximumMembers: 3)) {
                aria2, _, posts in
                async let version = aria2.getVersion()
                async let active = aria2.tellActive()
                async let error = #expect(throws: ErrorObject.self) { try await aria2.pause(GID("0123456789abcdef")) }
                let (one, two) = try await (version, active)
                #expect(one.version.hasPrefix("1.") && two.isEmpty)
                #expect(await error?.code == 1)
                // A call has its result before its POST has ended.
                #expect(await posts.wait(count: 1) == [3])
            }
        }

        @Test func notificationsAreATypedError() async throws {
            try await withProxy { aria2, rpc, posts in
                var iterator = aria2.onDownloadStart.makeAsyncIterator()
                let failure = await #expect(throws: ClientError.self) { _ = try await iterator.next() }
                guard
                    case .notificationsUnsupported(method: "aria2.onDownloadStart")? = failure?.cause
                        as? JSONRPCHTTPError
                else {
                    Issue.record("The error is \(String(describing: failure)).")
                    return
                }
                #expect(failure?.message.contains("`aria2.onDownloadStart` over HTTP") == true)
                #expect(failure?.isRetryable == false)
                // The error is thrown once, as by other streams. Then the stream has ended.
                let end = try await iterator.next()
                #expect(end == nil)
                await #expect(throws: ClientError.self) { for try await _ in rpc.notifications() {} }
                #expect(posts.elements.isEmpty)
            }
        }
    }
#endif
