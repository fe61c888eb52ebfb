// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import LWSWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// A listener in a process without free descriptors (number 21). Runs in a process of its own, whose limit it lowers.
@Suite(.inTurn(within: .seconds(120)), .startsProcess)
struct DescriptorExhaustionTests {
    @Test func acceptingPausesUntilThereAreDescriptors() async {
        await #expect(processExitsWith: .success) {
            let share = try await processorShareWithoutDescriptors(listener: .builtIn)
            // A spinning loop would use a whole processor, or all that others leave.
            guard share < 0.1 else { return fail("a share of \(share)") }
        }
    }

    @Test func acceptingSpinsWithOneEngine() async {
        await #expect(processExitsWith: .success) {
            let share = try await processorShareWithoutDescriptors(listener: .libwebsockets)
            guard share > 0.1 else { return fail("a share of \(share): correct the article \"The two engines\"") }
        }
    }
}

private func fail(_ text: String) {
    print(text)
    exit(EXIT_FAILURE)
}

/// Serves one connection while three clients wait for descriptors, and then the three.
///
/// - Returns: The share of a processor that this process uses while they wait.
private func processorShareWithoutDescriptors(listener engine: WebSocketEngine) async throws -> Double {
    let loops = WebSocketEventLoops()
    var configuration = WebSocketListener.Configuration()
    configuration.connection.engine = engine
    let listener = try await WebSocketListener.listen(configuration: configuration, on: loops) { _ in
        .accept(RecordingHandler.echo())
    }
    let heart = try await Heart(listener.url, on: loops, interval: .milliseconds(100))
    // They need no descriptor to connect: the kernel accepts without the listener.
    let clients = try (0..<3).map { _ in try WaitingClient() }
    let limit = try Descriptors.forbidMore()
    for client in clients { try client.ask(port: listener.port) }
    let before = Descriptors.processorTime()
    let start = ContinuousClock.now
    // Meanwhile, the loop serves the other connections.
    try await BlockingThread.value { for _ in 0..<20 { try heart.waitForBeat() } }
    let share = (Descriptors.processorTime() - before) / (ContinuousClock.now - start)
    try Descriptors.setLimit(limit)
    for client in clients {
        let head = try await BlockingThread.value { client.socket.readHead() }
        if head?.hasPrefix("HTTP/1.1 101 ") != true { fail("a client got \(head ?? "no answer")") }
    }
    await loops.shutDown(within: .zero)
    return share
}

/// A client whose socket exists before it connects.
private struct WaitingClient {
    let socket: LoopbackSocket

    init() throws {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw RawSocketError.system(errno) }
        socket = try LoopbackSocket(taking: descriptor, blocking: true)
    }

    /// Connects, and asks for an upgrade.
    func ask(port: Int) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw RawSocketError.system(errno) }
        let lines = [
            "GET / HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "", "",
        ]
        guard socket.write(Array(lines.joined(separator: "\r\n").utf8)) else { throw RawSocketError.ended }
    }
}

private enum Descriptors {
    /// Makes the system refuse further descriptors. Returns the earlier limit.
    static func forbidMore() throws -> rlim_t {
        var limit = rlimit()
        guard getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw RawSocketError.system(errno) }
        let free = dup(STDERR_FILENO)
        guard free >= 0 else { throw RawSocketError.system(errno) }
        close(free)
        try setLimit(rlim_t(free))
        return limit.rlim_cur
    }

    static func setLimit(_ count: rlim_t) throws {
        var limit = rlimit()
        guard getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw RawSocketError.system(errno) }
        limit.rlim_cur = count
        guard setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw RawSocketError.system(errno) }
    }

    /// The processor time that this process has used.
    static func processorTime() -> Duration {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let microseconds = [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Int($1.tv_sec) * 1_000_000 + Int($1.tv_usec)
        }
        return .microseconds(microseconds)
    }
}
