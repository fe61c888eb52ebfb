// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Connections leave nothing behind when they end. Each test has a process of its own, so that nothing else changes its
/// descriptors, threads and memory.
///
/// `SOAK_FACTOR` multiplies the counts; `Scripts/soak.sh` sets 10.
@Suite(.serialized, .inTurnWithProcess(within: .seconds(1800)))
struct SoakTests {
    @Test(arguments: Engine.sameAtBothEnds)
    func sessionsOverWSLeaveNothingBehind(engine: Engine) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [engine] in
            try await Soak(engine, isSecure: false).run(connections: 1000 * Soak.factor)
        }
        print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
    }

    @Test(arguments: Engine.sameAtBothEnds)
    func sessionsOverWSSLeaveNothingBehind(engine: Engine) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [engine] in
            try await Soak(engine, isSecure: true).run(connections: 100 * Soak.factor)
        }
        print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
    }
}

/// Connects, makes ten calls and closes, repeatedly, on two event loops.
private struct Soak {
    static var factor: Int {
        getenv("SOAK_FACTOR").flatMap { Int(String(cString: $0)) } ?? 1
    }

    /// After this number, all caches are full: Dispatch's 1024 small objects, and those of glibc and OpenSSL.
    private static let warmUp = 1000

    /// The limit of the heap's growth after the warm-up, in bytes.
    ///
    /// Measured: 75 KiB with 10 000 connections over ws, and 145 KiB with 1000 over wss; in a program of its own, 55
    /// KiB with 39 000 over ws and 60 KiB with 10 000 over wss. These are glibc's caches: without them, it is 1.5 KiB
    /// with 18 000. The smallest block of `malloc` takes 32 bytes. If each of 10 000 connections leaked one, it would
    /// be 312 KiB. A leaked cancelled sleep of the runtime would be 7 MiB.
    private static let heapGrowthLimit = 256 << 10

    private let engine: Engine
    private let isSecure: Bool
    private let loops = WebSocketEventLoops(count: 2)

    init(_ engine: Engine, isSecure: Bool) {
        self.engine = engine
        self.isSecure = isSecure
    }

    /// Warms up, and compares the resources of the process before and after the connections.
    func run(connections: Int) async throws {
        var listening = JSONRPCListener.Configuration()
        var connecting = WebSocketConfiguration()
        listening.webSocket.connection.engine = engine.listener
        connecting.engine = engine.client
        connecting.proxy = .none
        connecting.connectTimeout = .seconds(120)
        if isSecure {
            let certificates = try await Certificates.shared()
            listening.webSocket.tls = TLSListenerConfiguration(
                identity: TLSConfiguration.Identity(
                    certificateChain: .file(certificates[.server].certificate),
                    privateKey: .file(certificates[.server].key)))
            connecting.tls.trust = .only(.file(certificates.authority))
        }
        let listener = try await JSONRPCListener.listen(configuration: listening, on: loops) { session in
            session.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
        }
        try await repeatSession(Self.warmUp, url: listener.url, configuration: connecting)
        let before = try ProcessResources.current()
        report("after \(Self.warmUp) connections: \(before)")
        try await repeatSession(connections, url: listener.url, configuration: connecting)
        let after = try await settled(towards: before)
        report("after \(connections) more: \(after)")
        #expect(after.descriptors <= before.descriptors)
        // The runtime's own pool may still have grown.
        #expect(after.threads <= before.threads + 2)
        #expect(after.heapBytes - before.heapBytes < Self.heapGrowthLimit)
        await listener.stop()
        await loops.shutDown()
    }

    private func repeatSession(_ count: Int, url: String, configuration: WebSocketConfiguration) async throws {
        for number in 0..<count {
            let client = try await JSONRPCClient.connect(to: url, webSocket: configuration, on: loops)
            for term in 0..<10 {
                let sum: Int = try await client.call("add", params: [number, term])
                guard sum == number + term else { throw RawSocketError.unexpected("the sum \(sum)") }
            }
            await client.close()
        }
    }

    /// The listener's side of the last connections and the threads of dials end a little later, without a report.
    private func settled(towards before: ProcessResources) async throws -> ProcessResources {
        var now = try ProcessResources.current()
        for _ in 0..<100_000 where now.descriptors > before.descriptors || now.threads > before.threads {
            await Task.yield()
            now = try ProcessResources.current()
        }
        return now
    }

    private func report(_ line: String) {
        let line = "soak: \(isSecure ? "wss" : "ws"): \(line) (\(engine))\n"
        line.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
    }
}
