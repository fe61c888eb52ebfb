// swift-jsonrpc · SPDX-License-Identifier: MIT

import AsyncHTTPClientTransport
import Foundation
import HTTPRequests
import HTTPTypes
import TestSupport
import TestTurns
import Testing
import URLSessionTransport

/// How connections are made, reused and lost.
@Suite("Connections", .inTurn(within: .seconds(60)))
struct ConnectionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func failure(
        _ transport: any HTTPTransport, _ request: HTTPRequest, body: HTTPBodyEntity? = nil,
        context: HTTPRequestContext = HTTPRequestContext()
    ) async -> HTTPTransportError? {
        await #expect(throws: HTTPTransportError.self) {
            _ = try await transport.exchange(request, body: body, context: context)
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func connectionIsReused(_ kind: TransportUnderTest) async throws {
        let server = try RawHTTPServer { connection in
            while try connection.readHead() != nil { try connection.socket.send(Self.ok) }
        }
        try await kind.run { transport in
            for _ in 1...5 { try await transport.expectBody("ok", .to(server.authority)) }
        }
        await server.ends.wait(count: 1)
        #expect(server.heads.elements.count == 5)
        #expect(server.ends.elements.map(\.connection) == [1])
    }

    /// For the server, a stream of a known length ends with its last byte.
    @Test func connectionIsReusedAfterAStream() async throws {
        let server = try RawHTTPServer { connection in
            while let head = try connection.readHead() {
                _ = try connection.readBody(of: head)
                try connection.socket.send(Self.ok)
            }
        }
        try await TransportUnderTest.asyncHTTPClient.run { transport in
            for _ in 1...50 {
                let body = HTTPBodyEntity(
                    content: .stream(length: 3, isReplayable: true) { HTTPByteStream(Pieces([[1], [2, 3]])) })
                _ = try await transport.exchange(.to(server.authority, "/", .post), body: body)
            }
        }
        #expect(server.heads.elements.count == 50)
        await server.ends.wait(count: 1)
        // The next request may begin before the library has seen the end of the stream, and takes another connection.
        #expect(server.ends.elements.allSatisfy { $0.connection < 25 })
    }

    @Test(arguments: TransportUnderTest.allCases)
    func connectionsPerHostAreLimited(_ kind: TransportUnderTest) async throws {
        let server = try RawHTTPServer { connection in
            while try connection.readHead() != nil { try connection.socket.send(Self.ok) }
        }
        try await kind.run { transport in
            try await withThrowingTaskGroup { group in
                for _ in 1...100 {
                    group.addTask { try await transport.exchange(.to(server.authority)).body }
                }
                for try await body in group { #expect(body == "ok") }
            }
        }
        #expect(server.heads.elements.count == 100)
        // libcurl may open more connections and close them again.
        if kind == .asyncHTTPClient { #expect(server.ends.elements.allSatisfy { $0.connection <= 8 }) }
    }

    /// The server ends a reused connection instead of answering. libcurl sends the request again by itself.
    @Test(arguments: TransportUnderTest.allCases, [false, true])
    func staleConnectionIsTold(_ kind: TransportUnderTest, _ isReset: Bool) async throws {
        let server = try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.socket.send(Self.ok)
            guard connection.number == 1 else { return }
            _ = try connection.readHead()
            if isReset { connection.socket.reset() }
        }
        try await kind.run { transport in
            _ = try await transport.exchange(.to(server.authority))
            switch kind {
            case .asyncHTTPClient:
                let error = await failure(transport, .to(server.authority, "/", .post))
                #expect(error?.code == .connectionLost)
                #expect(error?.wasConnectionStale == true && error?.isRequestUnsent == false)
                try await transport.expectBody("ok", .to(server.authority))
            case .urlSession: try await transport.expectBody("ok", .to(server.authority, "/", .post))
            }
        }
        #expect(server.heads.elements.count == 3)
    }

    /// libcurl sends the head again, and `URLSession` has no body for it.
    @Test(arguments: [false, true], [100, 300_000])
    func staleConnectionIsToldIfABodyCannotBeSentAgain(_ isReset: Bool, _ size: Int) async throws {
        let server = try RawHTTPServer { connection in
            guard let first = try connection.readHead() else { return }
            _ = try connection.readBody(of: first)
            try connection.socket.send(Self.ok)
            guard connection.number == 1, let second = try connection.readHead() else { return }
            _ = try connection.readBody(of: second)
            if isReset { connection.socket.reset() }
        }
        let body = HTTPBodyEntity(content: .bytes([UInt8](repeating: 1, count: size)))
        try await TransportUnderTest.urlSession.run { transport in
            _ = try await transport.exchange(.to(server.authority, "/", .post), body: body)
            let error = await failure(transport, .to(server.authority, "/", .post), body: body)
            #expect(error?.code == .connectionLost)
            #expect(error?.wasConnectionStale == true && error?.isRequestUnsent == false)
            _ = try await transport.exchange(.to(server.authority, "/", .post), body: body)
        }
    }

    /// The server may have processed the bytes that it has read.
    @Test(arguments: [false, true], [100, 100_000, 8 << 20])
    func requestThatWasBegunIsNotUnsent(_ isReset: Bool, _ size: Int) async throws {
        let server = try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            _ = try connection.socket.read(50)
            if isReset { connection.socket.reset() }
        }
        let body = HTTPBodyEntity(content: .bytes([UInt8](repeating: 1, count: size)))
        try await TransportUnderTest.asyncHTTPClient.run { transport in
            for _ in 1...10 {
                let error = await failure(transport, .to(server.authority, "/", .post), body: body)
                #expect(error?.code == .connectionLost, "\(String(describing: error))")
                #expect(error?.isRequestUnsent == false && error?.wasConnectionStale == false)
            }
        }
    }

    @Test func freshConnectionThatEndsIsNotStale() async throws {
        let server = try RawHTTPServer { _ = try $0.readHead() }
        try await TransportUnderTest.asyncHTTPClient.run { transport in
            let error = await failure(transport, .to(server.authority))
            #expect(error?.code == .connectionLost && error?.wasConnectionStale == false)
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func responseThatNobodyAskedForEndsTheConnection(_ kind: TransportUnderTest) async throws {
        let server = try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.socket.send(Self.ok)
            if connection.number == 1 {
                try connection.socket.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
                connection.waitForEnd()
            }
        }
        try await kind.run { transport in
            try await transport.expectBody("ok", .to(server.authority))
            if kind == .asyncHTTPClient { await server.ends.wait(count: 1) }
            var body = ""
            do {
                body = try await transport.exchange(.to(server.authority)).body
            } catch let error as HTTPTransportError where error.isRequestUnsent && error.wasConnectionStale {
                // The pool had not yet detected the end.
                body = try await transport.exchange(.to(server.authority)).body
            }
            // If it comes after the first response was read to its end, libcurl takes it for the answer.
            #expect(body == "ok" || (kind == .urlSession && body == "evil"))
        }
    }

    /// Unsolicited bytes follow each response. A request that waits for the connection is not sent over it, and is not
    /// answered by those bytes.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "!",
    ])
    func bytesAfterAResponseAnswerNoOtherRequest(_ surplus: String) async throws {
        let server = try RawHTTPServer { connection in
            while let head = try connection.readHead() {
                _ = try connection.readBody(of: head)
                try connection.socket.send(Self.ok + surplus)
            }
        }
        try await TransportUnderTest.asyncHTTPClient.run {
            $0.connectionsPerHost = 1
        } _: { transport in
            try await withThrowingTaskGroup { group in
                for _ in 1...50 {
                    group.addTask {
                        try await transport.exchange(
                            .to(server.authority, "/", .post), body: HTTPBodyEntity(content: .bytes([1]))
                        ).body
                    }
                }
                for try await body in group { #expect(body == "ok") }
            }
        }
        #expect(server.heads.elements.count == 50)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func refusedConnectionIsToldAtOnce(_ kind: TransportUnderTest) async throws {
        let bound = try LoopbackSocket.bound()
        let port = try bound.localPort()
        try await kind.run { transport in
            let error = await failure(transport, .to("127.0.0.1:\(port)"))
            #expect(error?.code == .cannotConnect && error?.isRequestUnsent == true)
            #expect(error?.reason.contains("\(port)") == true)
            if kind == .asyncHTTPClient {
                #expect(error?.reason == "Could not connect to 127.0.0.1:\(port): Connection refused.")
            }
        }
    }

    @Test func emptyPortIsNotPartOfTheMessage() async throws {
        try await TransportUnderTest.asyncHTTPClient.run { transport in
            // TCP connects to no broadcast address.
            let error = await failure(transport, .to("255.255.255.255:"))
            #expect(error?.code == .cannotConnect && error?.isRequestUnsent == true)
            #expect(error?.reason.hasPrefix("Could not connect to 255.255.255.255: ") == true, "\(error?.reason ?? "")")
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func nameThatCannotBeResolvedIsTold(_ kind: TransportUnderTest) async throws {
        try await kind.run { transport in
            let error = await failure(transport, .to("not..a.name"))
            #expect(error?.code == .cannotConnect && error?.isRequestUnsent == true)
        }
    }

    @Test func connectingHasALimit() async throws {
        let listener = try LoopbackSocket.listening(backlog: 0)
        let port = try listener.localPort()
        let waiting = try (0..<16).map { _ in try LoopbackSocket.connecting(to: port) }
        var context = HTTPRequestContext()
        context.timeouts.connect = .milliseconds(200)
        try await TransportUnderTest.asyncHTTPClient.run { transport in
            let error = await failure(transport, .to("127.0.0.1:\(port)"), context: context)
            #expect(error?.code == .timedOut && error?.isRequestUnsent == true)
        }
        withExtendedLifetime(waiting) {}
    }

    @Test func waitForAConnectionCountsTowardsTheLimit() async throws {
        let server = try RawHTTPServer { connection in
            _ = try connection.readHead()
            connection.waitForEnd()
        }
        var context = HTTPRequestContext()
        context.timeouts.connect = .seconds(3)
        try await TransportUnderTest.asyncHTTPClient.run {
            $0.connectionsPerHost = 1
        } _: { transport in
            let first = Task { [context] in try await transport.send(.to(server.authority), body: nil, context: context)
            }
            await server.heads.wait(count: 1)
            let error = await failure(transport, .to(server.authority), context: context)
            #expect(error?.code == .timedOut && error?.isRequestUnsent == true)
            #expect(error?.reason.contains("`connectionsPerHost`") == true)
            first.cancel()
            await #expect(throws: CancellationError.self) { _ = try await first.value }
        }
    }

    @Test func manyLimitsForConnectingShareConnections() async throws {
        let server = try RawHTTPServer { connection in
            while try connection.readHead() != nil { try connection.socket.send(Self.ok) }
        }
        try await TransportUnderTest.asyncHTTPClient.run { transport in
            for seconds in 20...40 {
                var context = HTTPRequestContext()
                context.timeouts.connect = seconds == 40 ? nil : .seconds(seconds)
                try await transport.expectBody("ok", .to(server.authority), context: context)
            }
        }
        await server.ends.wait(count: 8)
        #expect(server.ends.elements.count == 8)
    }

    @Test func unixSocketIsReached() async throws {
        try await withTemporaryDirectory { folder in
            let peer = try RawPeer(unixPath: folder + "/socket") { socket in
                defer { try? socket.send(Self.ok) }
                return try socket.readHead()
            }
            let path = (folder + "/socket").replacing("/", with: "%2F")
            let request = HTTPRequest(method: .get, scheme: "http+unix", authority: path, path: "/x?y=1")
            let body = try await TransportUnderTest.asyncHTTPClient.run { try await $0.exchange(request).body }
            #expect(body == "ok")
            let head = try await peer.outcome()
            #expect(head.hasPrefix("GET /x?y=1 HTTP/1.1\r\n"))
            let nobody = HTTPRequest(method: .get, scheme: "http+unix", authority: path + "2", path: "/")
            try await TransportUnderTest.asyncHTTPClient.run { transport in
                let error = await failure(transport, nobody)
                #expect(error?.code == .cannotConnect && error?.isRequestUnsent == true)
            }
        }
    }

    @Test(arguments: [0, -1, 65_536, 1 << 40])
    func portOfAProxyThatIsNoneFailsTheRequest(_ port: Int) async throws {
        try await TransportUnderTest.asyncHTTPClient.run {
            $0.proxy = .http(host: "127.0.0.1", port: port)
        } _: { transport in
            let error = await failure(transport, .to("127.0.0.1:1"))
            #expect(error?.code == .invalidRequest && error?.reason.contains("\(port)") == true)
        }
    }

    @Test func proxyIsUsed() async throws {
        let proxy = try ProxyServer(.tunnel(authorization: "Basic dXNlcjpwYXNz"))
        let server = try RawHTTPServer { connection in
            while try connection.readHead() != nil { try connection.socket.send(Self.ok) }
        }
        let port = Int(proxy.port)
        try await TransportUnderTest.asyncHTTPClient.run {
            $0.proxy = .http(host: "127.0.0.1", port: port, user: "user", password: "pass")
        } _: { transport in
            try await transport.expectBody("ok", .to(server.authority))
        }
        try await TransportUnderTest.asyncHTTPClient.run {
            $0.proxy = .http(host: "127.0.0.1", port: port)
        } _: { transport in
            let error = await failure(transport, .to(server.authority))
            #expect(error?.code == .cannotConnect && error?.isRequestUnsent == true)
            let refusal = "The proxy 127.0.0.1:\(port) refused to connect to \(server.authority): "
            #expect(error?.reason == "\(refusal)it answered with the status 407.")
        }
        #expect(proxy.requests.count == 2)
        #expect(proxy.requests.first?.hasPrefix("CONNECT \(server.authority) ") == true)
        proxy.stop()
    }

    @Test func refusalNamesTheProxy() async throws {
        let proxy = try ProxyServer(.answer(["HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"]))
        let port = Int(proxy.port)
        try await TransportUnderTest.asyncHTTPClient.run {
            $0.proxy = .http(host: "127.0.0.1", port: port)
        } _: { transport in
            let error = await failure(transport, .to("a.example:80"))
            #expect(error?.code == .cannotConnect && error?.isRequestUnsent == true)
            #expect(error?.reason.hasPrefix("The proxy 127.0.0.1:\(port) refused to connect to a.example:80: ") == true)
        }
        proxy.stop()
    }

    /// The library's text names a function and the number of the error.
    @Test func lostConnectionIsToldInTheWordsOfTheSystem() async throws {
        let server = try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.socket.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.socket.reset()
        }
        try await TransportUnderTest.asyncHTTPClient.run { transport in
            let error = await failure(transport, .to(server.authority))
            #expect(error?.code == .connectionLost)
            #expect(error?.reason == "The connection was lost: Connection reset by peer.")
        }
    }
}
