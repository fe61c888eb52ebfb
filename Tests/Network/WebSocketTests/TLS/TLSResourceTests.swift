// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

@testable import WebSocket

/// The resources that dials leave behind. It runs in a process in which nothing else opens or closes resources.
@Suite(.inTurn(within: .seconds(300)), .startsProcess)
struct TLSResourceTests {
    @Test func dialsLeaveNothingBehind() async {
        await #expect(processExitsWith: .success) {
            // Allocates everything that is made once for the process, and the memory of as many threads as a busy
            // machine runs at a time.
            try await Dials().run(times: 100)
            let before = Resources.current()
            try await Dials().run(times: 100)
            var after = Resources.current()
            // The threads of abandoned dials end a little later, and nothing reports it.
            for _ in 0..<100_000 where after.descriptors > before.descriptors || after.threads > before.threads {
                await Task.yield()
                after = Resources.current()
            }
            #expect(after.descriptors <= before.descriptors)
            #expect(after.threads <= before.threads)
            // An `SSL_CTX` with the system's certificates takes 0.8 MB, so one for each dial would be visible.
            #expect(after.residentBytes - before.residentBytes < 30 << 20)
        }
    }
}

private struct Resources {
    var descriptors: Int
    var threads: Int
    var residentBytes: Int

    static func current() -> Resources {
        let entries: (String) -> Int = { (try? FileManager.default.contentsOfDirectory(atPath: $0).count) ?? -1 }
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return Resources(
            descriptors: entries("/proc/self/fd"), threads: entries("/proc/self/task"),
            residentBytes: (pages.flatMap { Int($0[1]) } ?? 0) * Int(getpagesize()))
    }
}

/// Dials of each kind, over two event loops: established, certificate refused, connection refused, given up.
private struct Dials {
    let certificates: Certificates
    let loops = WebSocketEventLoops(count: 2)

    init() async throws { certificates = try await Certificates.shared() }

    func run(times: Int) async throws {
        let right = try await listener(.server)
        let expired = try await listener(.expired)
        let silent = try LoopbackSocket.listening()
        let silentPort = Int(try silent.localPort())
        for _ in 0..<times {
            try await establish(right.port)
            let refused = await failure(expired.port)
            #expect(refused?.code == .certificateExpired)
            let unreachable = await failure(1)
            #expect(unreachable?.code == .connectFailed)
            let dial = Task { _ = try await connect(silentPort, RecordingHandler()) }
            dial.cancel()
            await #expect(throws: CancellationError.self) { try await dial.value }
        }
        await loops.shutDown()
    }

    private func listener(_ kind: Certificates.Kind) async throws -> WebSocketListener {
        var configuration = WebSocketListener.Configuration()
        configuration.tls = TLSListenerConfiguration(
            identity: TLSConfiguration.Identity(
                certificateChain: .file(certificates[kind].certificate), privateKey: .file(certificates[kind].key)))
        return try await WebSocketListener.listen(configuration: configuration, on: loops) { _ in
            .accept(RecordingHandler.echo())
        }
    }

    private func connect(_ port: Int, _ handler: RecordingHandler) async throws -> WebSocketConnection {
        var configuration = WebSocketConfiguration()
        configuration.proxy = .none
        configuration.connectTimeout = .seconds(120)
        configuration.tls.trust = .systemAnd(.file(certificates.authority))
        return try await WebSocketConnection.connect(
            to: "wss://127.0.0.1:\(port)/", configuration: configuration, receiver: handler, on: loops)
    }

    private func establish(_ port: Int) async throws {
        let handler = RecordingHandler()
        let connection = try await connect(port, handler)
        try connection.send(text: "hello")
        let answer = await handler.events.first { $0.text != nil }
        #expect(answer?.text == "hello")
        connection.close()
        _ = await handler.closure()
    }

    private func failure(_ port: Int) async -> WebSocketError? {
        do {
            _ = try await connect(port, RecordingHandler())
            return nil
        } catch {
            return error as? WebSocketError
        }
    }
}
