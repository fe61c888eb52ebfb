// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClientTransport
    import HTTPTypes
    import JSONRPCHTTP
    import TestSupport
    import TestTurns
    import Testing
    import WireJSON

    /// Calls through nginx: each has its result, or an error that says whether the server may have executed it.
    @Suite("JSON-RPC through nginx", .inTurn(within: .seconds(120)))
    struct NginxTests {
        private struct Echo: JSONRPCRequest {
            typealias Response = String
            var text: String
            var method: String { "echo" }
            var params: [String] { [text] }
            var isIdempotent: Bool { text.hasPrefix("idempotent") }

            init(_ text: String) { self.text = text }
        }

        private static let doors: [Nginx.Door] = [.plain, .secure, .secureHTTP1]

        private static func locations(_ upstream: Int) -> String {
            let proxy = "proxy_pass http://127.0.0.1:\(upstream); proxy_http_version 1.1;"
            return """
                location / { \(proxy) proxy_buffering off; }
                location = /small { client_max_body_size 300; \(proxy) }
                location = /limited {
                    limit_req zone=calls; limit_req_status 429; add_header Retry-After 3 always; \(proxy)
                }
                location = /dead { proxy_pass http://127.0.0.1:1; }
                location = /gzip { gzip on; gzip_types application/json; gzip_min_length 1; \(proxy) }
                location = /slow { limit_rate 100k; \(proxy) }
                location = /very-slow { limit_rate 1k; \(proxy) }
                location = /closed { return 444; }
                """
        }

        /// The server behind nginx, and clients of it.
        private struct Setting {
            let nginx: Nginx
            let upstream: Upstream
            let transport: AsyncHTTPClientTransport

            func client(
                _ door: Nginx.Door, _ path: String, _ change: (inout JSONRPCHTTPOptions) -> Void = { _ in }
            ) -> JSONRPCHTTPClient {
                var options = JSONRPCHTTPOptions()
                change(&options)
                return JSONRPCHTTPClient(url: nginx.url(door, path), over: transport, options: options)
            }

            /// The errors of a single call, of the calls of a batch, and of gathered calls.
            func failures(_ door: Nginx.Door, _ path: String) async throws -> [ClientError] {
                let rpc = client(door, path)
                var failures = [try #require(await error { try await rpc.call(Echo("single")) } as? ClientError)]
                for outcome in try await rpc.batch([Echo("a"), Echo("b")]) {
                    failures.append(try #require(outcome.callError?.clientError))
                }
                let gathering = client(door, path) {
                    $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: 2)
                }
                async let first = error { try await gathering.call(Echo("c")) }
                async let second = error { try await gathering.call(Echo("d")) }
                for failure in await [first, second] { failures.append(try #require(failure as? ClientError)) }
                return failures
            }
        }

        private func withNginx(_ body: (Setting) async throws -> Void) async throws {
            let upstream = try Upstream()
            var configuration = AsyncHTTPClientTransport.Configuration()
            configuration.tls.trust = .only(file: try await Certificates.shared().authority)
            let transport = AsyncHTTPClientTransport(configuration: configuration)
            let directives = Nginx.Directives(
                locations: Self.locations(upstream.port),
                http: "limit_req_zone $server_port zone=calls:1m rate=30r/m;")
            try await Nginx.run(directives) { nginx in
                try await body(Setting(nginx: nginx, upstream: upstream, transport: transport))
            }
            await transport.shutDown()
        }

        @Test(arguments: doors) func callsBatchesAndGatheredCallsAreAnswered(door: Nginx.Door) async throws {
            try await withNginx { setting in
                let rpc = setting.client(door, "/")
                #expect(try await rpc.call(Echo("alone")) == "alone")
                let texts = (0..<200).map { "number \($0)" }
                #expect(try await rpc.batch(texts.map { Echo($0) }) == texts.map { .success($0) })
                try await rpc.notify("log", params: ["x"])
                let gathering = setting.client(door, "/") {
                    $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: 50)
                }
                let tasks = texts.map { text in Task { try await gathering.call(Echo(text)) } }
                for (text, task) in zip(texts, tasks) { #expect(try await task.value == text) }
                let version = door == .secure ? "HTTP/2.0" : "HTTP/1.1"
                let accesses = try await setting.nginx.accesses()
                #expect(accesses.map(\.version) == Array(repeating: version, count: 7))
                #expect(accesses.allSatisfy { $0.status == 200 })
                #expect(setting.upstream.executed.elements.count == 402)
            }
        }

        @Test(arguments: doors) func batchesGoOutInConcurrentPosts(door: Nginx.Door) async throws {
            try await withNginx { setting in
                let rpc = setting.client(door, "/") {
                    $0.batchConcurrency = BatchConcurrency(maximumMembers: 3, maximumRequests: 8)
                }
                let texts = (0..<100).map { "number \($0)" }
                #expect(try await rpc.batch(texts.map { Echo($0) }) == texts.map { .success($0) })
                let accesses = try await setting.nginx.accesses()
                #expect(accesses.count == 34)
                #expect(accesses.allSatisfy { $0.version == (door == .secure ? "HTTP/2.0" : "HTTP/1.1") })
                #expect(Set(setting.upstream.executed.elements.compactMap(\.stringValue)) == Set(texts))
                #expect(setting.upstream.executed.elements.count == 100)
            }
        }

        @Test(arguments: doors) func aBatchThatIsTooLargeIsDivided(door: Nginx.Door) async throws {
            try await withNginx { setting in
                let (limits, statuses) = (EventLog<Int>(), EventLog<Int?>())
                let rpc = setting.client(door, "/small") {
                    $0.observe = { event in
                        switch event {
                        case .divided(_, let limit): limits.record(limit)
                        case .posted(let report): statuses.record(report.status?.code)
                        default: break
                        }
                    }
                }
                let texts = (0..<16).map { "number \($0)" }
                #expect(try await rpc.batch(texts.map { Echo($0) }) == texts.map { .success($0) })
                #expect(limits.elements == [8, 4])
                #expect(statuses.elements == [413, 413, 200, 200, 200, 200])
                // Gathered calls of this client have not learned the limit from another client.
                let gathering = setting.client(door, "/small") {
                    $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: 16)
                }
                let tasks = texts.map { text in Task { try await gathering.call(Echo(text)) } }
                for (text, task) in zip(texts, tasks) { #expect(try await task.value == text) }
                let executed = setting.upstream.executed.elements.compactMap(\.stringValue)
                #expect(executed.count == 32 && Set(executed) == Set(texts))
                // A call that is too large by itself.
                let long = String(repeating: "x", count: 300)
                let alone = try #require(await error { try await rpc.call(Echo(long)) } as? ClientError)
                #expect(alone.httpAnswer?.status == .contentTooLarge)
                #expect(alone.httpAnswer?.bodyText.contains("<html>") == true)
                let outcomes = try await rpc.batch([Echo("short"), Echo(long)])
                #expect(outcomes[0] == .success("short"))
                #expect(outcomes[1].callError?.httpAnswer?.status == .contentTooLarge)
            }
        }

        /// nginx accepts a POST every two seconds, and refuses others before they reach the server.
        @Test(arguments: doors) func retryAfterIsHeeded(door: Nginx.Door) async throws {
            try await withNginx { setting in
                let delays = EventLog<Duration>()
                let rpc = setting.client(door, "/limited") {
                    $0.retry = MemberRetryPolicy()
                    $0.observe = { if case .retrying(_, _, let delay) = $0 { delays.record(delay) } }
                }
                async let single = rpc.call(Echo("single"))
                async let batch = rpc.batch([Echo("a"), Echo("b")])
                let (one, two) = try await (single, batch)
                #expect(one == "single" && two == [.success("a"), .success("b")])
                #expect(delays.elements == [.seconds(3)])
                #expect(Set(setting.upstream.executed.elements.compactMap(\.stringValue)) == ["single", "a", "b"])
                #expect(setting.upstream.executed.elements.count == 3)
                let accesses = try await setting.nginx.accesses()
                #expect(accesses.map(\.status).sorted() == [200, 200, 429])
                let refused = try #require(accesses.first { $0.status == 429 })
                // nginx's times are in milliseconds, from the last turn of its event loop.
                #expect(try #require(accesses.map(\.start).max()) - refused.start > 2.9)
                // Without a retry policy, a refusal keeps the details from nginx.
                let failure = await setting.client(door, "/limited").result(of: Echo("no retry"))
                #expect(failure.callError?.httpAnswer?.status == .tooManyRequests)
                #expect(failure.callError?.httpAnswer?.retryAfter == .seconds(3))
            }
        }

        @Test(arguments: doors, ["/dead", "/no-answer"])
        func aBadGatewayIsATypedError(door: Nginx.Door, path: String) async throws {
            try await withNginx { setting in
                let failures = try await setting.failures(door, path)
                #expect(failures.count == 5)
                for failure in failures {
                    #expect(failure.code == .transportFailed)
                    // The server behind nginx may have executed the call before it failed.
                    #expect(failure.delivery == .outcomeUnknown)
                    #expect(failure.isRetryable)
                    guard case .status(let answer)? = failure.cause as? JSONRPCHTTPError else {
                        Issue.record("The cause is \(String(describing: failure.cause)).")
                        continue
                    }
                    #expect(answer.status == .badGateway)
                    #expect(answer.headerFields[.contentType] == "text/html")
                    #expect(answer.headerFields[.server]?.hasPrefix("nginx") == true)
                    #expect(answer.bodyText.hasPrefix("<html>"))
                }
                #expect(setting.upstream.executed.elements.count == (path == "/dead" ? 0 : 5))
                // Only idempotent calls are sent again.
                let rpc = setting.client(door, path) {
                    $0.retry = MemberRetryPolicy()
                    $0.retry?.randomFraction = { 0 }
                }
                let attempts = try await setting.nginx.accesses().count
                _ = try await rpc.batch([Echo("idempotent"), Echo("once")])
                #expect(try await setting.nginx.accesses().count == attempts + 3)
            }
        }

        @Test(arguments: doors) func compressedAnswersAreRead(door: Nginx.Door) async throws {
            try await withNginx { setting in
                let text = String(repeating: "compressible ", count: 5000)
                let rpc = setting.client(door, "/gzip")
                let single = try await rpc.call(Echo(text))
                #expect(single == text)
                #expect(try await rpc.batch([Echo(text), Echo("b")]) == [.success(text), .success("b")])
                #expect(try await setting.nginx.accesses().map(\.isCompressed) == [true, true])
            }
        }

        @Test(arguments: doors) func slowAnswersArrive(door: Nginx.Door) async throws {
            try await withNginx { setting in
                let text = String(repeating: "x", count: 50_000)
                let rpc = setting.client(door, "/slow")
                async let single = rpc.call(Echo(text))
                async let batch = rpc.batch([Echo(text), Echo("b")])
                let (one, two) = try await (single, batch)
                #expect(one == text)
                #expect(two == [.success(text), .success("b")])
            }
        }

        /// The server has executed the calls, but their answers are not complete in time.
        @Test(arguments: doors) func aTimeoutEndsASlowAnswer(door: Nginx.Door) async throws {
            try await withNginx { setting in
                let text = String(repeating: "x", count: 100_000)
                let rpc = setting.client(door, "/very-slow")
                // Bodies of requests are not slowed down, so a second is enough for them.
                async let batch = rpc.batch([Echo(text), Echo("b")], timeout: .seconds(2))
                let single = await rpc.result(of: Echo(text), timeout: .seconds(2))
                for failure in try await [single] + batch {
                    #expect(failure.callError?.clientError?.code == .timedOut)
                    #expect(failure.callError?.delivery == .outcomeUnknown)
                }
                await setting.upstream.executed.wait(count: 3)
            }
        }

        @Test(arguments: doors, ["/cut", "/cut-chunks"])
        func aCutAnswerIsATypedError(door: Nginx.Door, path: String) async throws {
            try await withNginx { setting in
                for failure in try await setting.failures(door, path) {
                    #expect(failure.code == .connectionLost)
                    #expect(failure.delivery == .outcomeUnknown)
                    #expect(failure.isRetryable)
                    guard case .interrupted(let answer, _)? = failure.cause as? JSONRPCHTTPError else {
                        Issue.record("The cause is \(String(describing: failure.cause)).")
                        continue
                    }
                    #expect(answer.status == .ok)
                    #expect(answer.headerFields[.contentType] == "application/json")
                    #expect(answer.bodyText.contains(#"{"jsonrpc":"2.0","#))
                }
                #expect(setting.upstream.executed.elements.count == 5)
            }
        }

        @Test(arguments: doors) func aConnectionThatIsClosedWithoutAnAnswerIsATypedError(door: Nginx.Door) async throws
        {
            try await withNginx { setting in
                for failure in try await setting.failures(door, "/closed") {
                    #expect(failure.code == .connectionLost)
                    #expect(failure.delivery == .outcomeUnknown)
                    #expect(failure.isRetryable)
                    #expect(failure.httpAnswer == nil)
                }
            }
        }
    }

    extension HTTPAnswer {
        fileprivate var bodyText: String { String(decoding: bodyBeginning, as: UTF8.self) }
    }
#endif
