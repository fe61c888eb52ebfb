// swift-jsonrpc · SPDX-License-Identifier: MIT

import AsyncHTTPClient
import AsyncHTTPClientTransport
import Glibc
import HTTPRequests
import HTTPTypes
import Synchronization
import TestSupport
import TestTurns
import Testing
import URLSessionTransport

/// The ends of exchanges, bodies and transports.
@Suite("Lifetimes", .inTurn(within: .seconds(60)))
struct LifetimeTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Reads a head, sends nothing or a part of a response, and waits for the end of the connection.
    private static func silentServer(after start: String = "") throws -> RawHTTPServer {
        try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.socket.send(start)
            connection.waitForEnd()
        }
    }

    private static func transport(_ kind: TransportUnderTest) -> any HTTPTransport {
        switch kind {
        case .asyncHTTPClient: AsyncHTTPClientTransport()
        case .urlSession: URLSessionTransport()
        }
    }

    /// Reading a certificate file can be slow, and nothing else may wait for it. A pipe has bytes when it is written.
    @Test func certificatesAreReadWithoutALock() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/certificates"
            try #require(mkfifo(path, 0o600) == 0)
            var configuration = AsyncHTTPClientTransport.Configuration()
            configuration.tls.trust = .only(file: path)
            let transport = AsyncHTTPClientTransport(configuration: configuration)
            let opened = EventLog<Int32>()
            // It waits until the transport reads.
            BlockingThread.run { opened.record(open(path, O_WRONLY | O_CLOEXEC)) }
            let request = Task { try await transport.outcome(.to("127.0.0.1:1")) }
            await opened.wait(count: 1)
            await transport.shutDown()
            for descriptor in opened.elements { close(descriptor) }
            let outcome = try await request.value
            #expect(outcome == .failure(.secureConnectionFailed) || outcome == .failure(.closed))
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func cancelledRequestEndsItsConnection(_ kind: TransportUnderTest) async throws {
        let server = try Self.silentServer()
        try await kind.run { transport in
            let task = Task { try await transport.exchange(.to(server.authority)).body }
            await server.heads.wait(count: 1)
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            await server.ends.wait(count: 1)
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func requestOfACancelledTaskIsNotSent(_ kind: TransportUnderTest) async throws {
        let server = try Self.silentServer()
        try await kind.run { transport in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await transport.exchange(.to(server.authority)).body
            }
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func cancelledReaderEndsTheConnection(_ kind: TransportUnderTest) async throws {
        let server = try Self.silentServer(after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
        try await kind.run { transport in
            let pieces = EventLog<Int>()
            let task = Task {
                let stream = try await transport.send(
                    .to(server.authority), body: nil, context: HTTPRequestContext()
                ).body
                for try await piece in stream { pieces.record(piece.count) }
            }
            await pieces.wait(count: 1)
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            await server.ends.wait(count: 1)
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func bodyThatIsNotReadEndsTheConnection(_ kind: TransportUnderTest) async throws {
        let server = try Self.silentServer(after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
        try await kind.run { transport in
            _ = try await transport.send(.to(server.authority), body: nil, context: HTTPRequestContext())
            await server.ends.wait(count: 1)
        }
    }

    /// A stream that waits for bytes is cancelled when they are no longer needed.
    @Test func uploadOfACancelledRequestIsCancelled() async throws {
        let server = try Self.silentServer()
        let source = WaitingSource()
        let body = HTTPBodyEntity(content: .stream(length: nil, isReplayable: false) { HTTPByteStream(source) })
        try await TransportUnderTest.asyncHTTPClient.run { transport in
            let task = Task { try await transport.exchange(.to(server.authority, "/", .post), body: body).body }
            await server.heads.wait(count: 1)
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            await source.cancellations.wait(count: 1)
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func answerBeforeTheEndOfTheRequestIsTaken(_ kind: TransportUnderTest) async throws {
        let server = try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.socket.send(
                "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 5\r\n\r\nlarge")
            connection.waitForEnd()
        }
        let body = HTTPBodyEntity(content: .bytes([UInt8](repeating: 1, count: 16 << 20)))
        let outcome = try await kind.run { try await $0.outcome(.to(server.authority, "/", .post), body: body) }
        #expect(outcome == .response(413, "large"))
    }

    /// The server can send only as much as the reader and the socket buffers take.
    @Test func readerSlowsTheServerDown() async throws {
        let size = 256 << 20
        let sent = Mutex(0)
        let server = try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.socket.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            for _ in 0..<256 {
                try connection.socket.send(piece)
                sent.withLock { $0 += piece.count }
            }
        }
        let quick = try RawHTTPServer { connection in
            while try connection.readHead() != nil { try connection.socket.send(Self.ok) }
        }
        try await TransportUnderTest.asyncHTTPClient.run { transport in
            let stream = try await transport.send(.to(server.authority), body: nil, context: HTTPRequestContext()).body
            // This is the time in which the server could send too much.
            for _ in 1...300 { _ = try await transport.exchange(.to(quick.authority)) }
            #expect(sent.withLock { $0 } < size / 4)
            var received = 0
            for try await piece in stream { received += piece.count }
            #expect(received == size)
        }
    }

    /// `URLSession` has no backpressure, and therefore a limit.
    @Test func unreadBytesOfURLSessionAreLimited() async throws {
        let server = try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.socket.send("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n")
            for _ in 0..<64 { try connection.socket.send([UInt8](repeating: 7, count: 1 << 20)) }
        }
        var configuration = URLSessionTransport.Configuration()
        configuration.maximumBufferedBytes = 1 << 20
        let transport = URLSessionTransport(configuration: configuration)
        let stream = try await transport.send(.to(server.authority), body: nil, context: HTTPRequestContext()).body
        await server.ends.wait(count: 1)
        let error = await #expect(throws: HTTPTransportError.self) { _ = try await stream.collect(upTo: 1 << 30) }
        #expect(error?.code == .bodyTooLarge && error?.reason.contains("`maximumBufferedBytes`") == true)
        await transport.shutDown()
    }

    @Test func streamsForURLSessionAreLimited() async throws {
        var configuration = URLSessionTransport.Configuration()
        configuration.maximumCollectedBytes = 3
        let transport = URLSessionTransport(configuration: configuration)
        let body = HTTPBodyEntity(
            content: .stream(length: nil, isReplayable: true) { HTTPByteStream([1, 2, 3, 4]) })
        let error = await #expect(throws: HTTPTransportError.self) {
            _ = try await transport.exchange(.to("localhost", "/", .post), body: body)
        }
        #expect(error?.code == .invalidRequest && error?.reason.contains("`maximumCollectedBytes`") == true)
        await transport.shutDown()
    }

    @Test(arguments: TransportUnderTest.allCases)
    func shutDownEndsEverything(_ kind: TransportUnderTest) async throws {
        let server = try Self.silentServer(after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
        let silent = try Self.silentServer()
        try await kind.run { transport in
            let stream = try await transport.send(.to(server.authority), body: nil, context: HTTPRequestContext()).body
            let waiting = Task { try await transport.outcome(.to(silent.authority)) }
            await silent.heads.wait(count: 1)
            await (transport as? AsyncHTTPClientTransport)?.shutDown()
            await (transport as? URLSessionTransport)?.shutDown()
            let outcome = try await waiting.value
            #expect(outcome == .failure(.closed))
            let error = await #expect(throws: HTTPTransportError.self) { _ = try await stream.collect(upTo: 100) }
            #expect(error?.code == .closed)
            let later = try await transport.outcome(.to(server.authority))
            #expect(later == .failure(.closed))
            await server.ends.wait(count: 1)
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func transportMayBeReleasedWithoutShutDown(_ kind: TransportUnderTest) async throws {
        let server = try RawHTTPServer { connection in
            while try connection.readHead() != nil { try connection.socket.send(Self.ok) }
        }
        do {
            let transport = Self.transport(kind)
            try await transport.expectBody("ok", .to(server.authority))
        }
        // The connection, which was kept alive, ends.
        await server.ends.wait(count: 1)
        _ = Self.transport(kind)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func bodyOutlivesItsTransport(_ kind: TransportUnderTest) async throws {
        let gate = Gate()
        let server = try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.socket.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            try gate.wait()
            try connection.socket.send("world")
        }
        let stream = try await Self.transport(kind).send(
            .to(server.authority), body: nil, context: HTTPRequestContext()
        ).body
        gate.open()
        #expect(try await stream.collect(upTo: 100) == Array("helloworld".utf8))
    }

    /// Exchanges that are cancelled or released at any point end without affecting the others.
    @Test(arguments: TransportUnderTest.allCases)
    func exchangesEndAtAnyPoint(_ kind: TransportUnderTest) async throws {
        let server = try RawHTTPServer { connection in
            while let head = try connection.readHead() {
                _ = try connection.readBody(of: head)
                try connection.socket.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                try connection.socket.send([UInt8](repeating: 7, count: 100_000))
            }
        }
        let body = HTTPBodyEntity(content: .bytes([UInt8](repeating: 1, count: 300_000)))
        var context = HTTPRequestContext()
        // All of them wait for one of eight connections, however slow the machine is.
        context.timeouts.connect = nil
        try await kind.run { [context] transport in
            await withTaskGroup { group in
                for number in 1...100 {
                    group.addTask {
                        var generator = SeededGenerator(seed: UInt64(number))
                        let task = Task { [yields = Int.random(in: 0..<300, using: &generator)] in
                            let stream = try await transport.send(
                                .to(server.authority, "/", .post), body: body, context: context
                            ).body
                            if yields.isMultiple(of: 3) { return 0 }
                            return try await stream.collect(upTo: 1 << 20).count
                        }
                        for _ in 0..<Int.random(in: 0..<300, using: &generator) { await Task.yield() }
                        if generator.oneIn(2) { task.cancel() }
                        switch await task.result {
                        case .success(let count): #expect(count == 0 || count == 100_000)
                        case .failure(let error): #expect(error is CancellationError, "\(error)")
                        }
                    }
                }
            }
            let last = try await transport.exchange(.to(server.authority)).body.utf8.count
            #expect(last == 100_000)
        }
    }

    @Test func programsOwnClientIsUsed() async throws {
        let server = try RawHTTPServer { connection in
            while try connection.readHead() != nil { try connection.socket.send(Self.ok) }
        }
        let client = HTTPClient()
        let transport = AsyncHTTPClientTransport(client: client)
        try await transport.expectBody("ok", .to(server.authority))
        await transport.shutDown()
        try await transport.expectBody("ok", .to(server.authority))
        try await client.shutdown()
        #expect(try await transport.outcome(.to(server.authority)) == .failure(.closed))
    }

    @Test func sharedTransportIsNeverShutDown() async throws {
        let server = try RawHTTPServer { connection in
            while try connection.readHead() != nil { try connection.socket.send(Self.ok) }
        }
        await AsyncHTTPClientTransport.shared.shutDown()
        try await AsyncHTTPClientTransport.shared.expectBody("ok", .to(server.authority))
    }
}

/// Produces nothing until its task is cancelled.
private final class WaitingSource: HTTPByteSource {
    let cancellations = EventLog<Bool>()
    private let stream = AsyncStream<Never>.makeStream()

    func next() async throws -> ArraySlice<UInt8>? {
        for await _ in stream.stream {}
        cancellations.record(Task.isCancelled)
        throw CancellationError()
    }
}
