// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import Synchronization

/// A server for one connection that follows a script, byte by byte, on a thread of its own.
public final class RawPeer<Outcome: Sendable>: Sendable {
    /// The port of 127.0.0.1 it listens on; 0 for a unix socket.
    public let port: Int
    private let state = Mutex(State())

    private struct State {
        var outcome: Result<Outcome, any Error>?
        var waiters: [CheckedContinuation<Result<Outcome, any Error>, Never>] = []
    }

    /// Listens, and runs the script on the first connection.
    /// - Parameters:
    ///   - receiveBufferBytes: The size of the kernel's receive buffer, for a slow peer.
    public init(
        unixPath: String? = nil, receiveBufferBytes: Int? = nil,
        script: @escaping @Sendable (RawSocket) throws -> Outcome
    ) throws {
        let (descriptor, port) = try Self.listen(unixPath: unixPath, receiveBufferBytes: receiveBufferBytes)
        self.port = port
        BlockingThread.run { [self] in
            let accepted = accept(descriptor, nil, nil)
            let error = errno
            Glibc.close(descriptor)
            settle(
                Result {
                    guard accepted >= 0 else { throw RawSocketError.system(error) }
                    let socket = RawSocket(descriptor: accepted)
                    defer { socket.close() }
                    return try script(socket)
                })
        }
    }

    /// The URL of the peer.
    public var url: String { "ws://127.0.0.1:\(port)/" }

    /// Waits for the script's end.
    public func outcome() async throws -> Outcome {
        try await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiters.append(continuation) }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }.get()
    }

    private func settle(_ outcome: Result<Outcome, any Error>) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private static func listen(unixPath: String?, receiveBufferBytes: Int?) throws -> (Int32, Int) {
        let family = unixPath == nil ? AF_INET : AF_UNIX
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw RawSocketError.system(errno) }
        if var size = receiveBufferBytes.map(Int32.init) {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let status = unixPath.map { bindUnix(descriptor, $0) } ?? bindLoopback(descriptor)
        guard status == 0, Glibc.listen(descriptor, 8) == 0 else {
            let error = RawSocketError.system(errno)
            Glibc.close(descriptor)
            throw error
        }
        guard unixPath == nil else { return (descriptor, 0) }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func bindLoopback(_ descriptor: Int32) -> Int32 {
        var address = sockaddr_in.loopback(port: 0)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func bindUnix(_ descriptor: Int32, _ path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// Runs blocking code away from the threads of Swift's tasks.
public enum BlockingThread {
    /// Runs `body` on a new thread.
    public static func run(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(body))  // The thread takes the reference over.
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                // Takes over the retain made above, once, because a thread runs its function once.
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        if status == 0 { pthread_detach(thread) } else { box.release() }
    }

    /// Runs `body` on a new thread and waits for its result.
    public static func value<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            run { continuation.resume(with: Result(catching: body)) }
        }
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

/// Holds a script until a test lets it continue.
public final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    public init() {}

    /// Lets one wait continue, now or later.
    public func open() { semaphore.signal() }

    /// Blocks the calling thread until ``open()``; throws after 30 seconds.
    public func wait() throws {
        guard semaphore.wait(timeout: .now() + .seconds(30)) == .success else { throw RawSocketError.ended }
    }
}
