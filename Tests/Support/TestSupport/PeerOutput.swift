// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// The output of a program, line by line, and its exit status. One thread reads it, another waits for its end.
final class PeerOutput: Sendable {
    private struct State {
        var lines: [String] = []
        var unfinishedLine: [UInt8] = []
        var isOutputAtEnd = false
        var isReaped = false
        var status: Int32?
        var lineWaiters: [UInt64: LineWaiter] = [:]
        var exitWaiters: [UInt64: CheckedContinuation<Int32, any Error>] = [:]
        var nextWaiter: UInt64 = 0
        var cancelled: Set<UInt64> = []
    }

    private struct LineWaiter {
        var matches: @Sendable (String) -> Bool
        var continuation: CheckedContinuation<String, any Error>
    }

    private let name: String
    private let state = Mutex(State())

    init(name: String) { self.name = name }

    var log: String {
        state.withLock { ($0.lines + [String(decoding: $0.unfinishedLine, as: UTF8.self)]).joined(separator: "\n") }
    }

    /// Takes over `descriptor`, the read end of the program's output.
    func follow(descriptor: Int32, processID: pid_t) {
        Thread.detachNewThread { self.read(descriptor) }
        Thread.detachNewThread { self.reap(processID) }
    }

    /// Runs `body` while the process number certainly belongs to the program; otherwise does nothing.
    func whileUnreaped(_ body: () -> Void) {
        state.withLock { if !$0.isReaped { body() } }
    }

    // MARK: Waiting

    func line(where matches: @escaping @Sendable (String) -> Bool) async throws -> String {
        let number = nextWaiter()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<String, any Error>? = state.withLock { state in
                    if let line = state.lines.first(where: matches) { return .success(line) }
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    if state.isOutputAtEnd, let status = state.status {
                        return .failure(endedEarly(status: status, lines: state.lines))
                    }
                    state.lineWaiters[number] = LineWaiter(matches: matches, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    func exitStatus() async throws -> Int32 {
        let number = nextWaiter()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Int32, any Error>? = state.withLock { state in
                    if let status = state.status { return .success(status) }
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    state.exitWaiters[number] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func nextWaiter() -> UInt64 {
        state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
    }

    private func cancel(_ number: UInt64) {
        let (line, exit) = state.withLock { state in
            let line = state.lineWaiters.removeValue(forKey: number)
            let exit = state.exitWaiters.removeValue(forKey: number)
            if line == nil, exit == nil { state.cancelled.insert(number) }
            return (line, exit)
        }
        line?.continuation.resume(throwing: CancellationError())
        exit?.resume(throwing: CancellationError())
    }

    // MARK: Following

    private func read(_ descriptor: Int32) {
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        while true {
            let chunk = file.availableData
            if chunk.isEmpty { break }
            append(chunk)
        }
        append(Data([UInt8(ascii: "\n")]))
        state.withLock { $0.isOutputAtEnd = true }
        failWaitersIfEnded()
    }

    private func append(_ chunk: Data) {
        var matched: [(CheckedContinuation<String, any Error>, String)] = []
        state.withLock { state in
            state.unfinishedLine += chunk
            while let end = state.unfinishedLine.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: state.unfinishedLine[..<end], as: UTF8.self)
                state.unfinishedLine.removeSubrange(...end)
                state.lines.append(line)
                for (number, waiter) in state.lineWaiters where waiter.matches(line) {
                    matched.append((waiter.continuation, line))
                    state.lineWaiters[number] = nil
                }
            }
        }
        for (continuation, line) in matched { continuation.resume(returning: line) }
    }

    private func reap(_ processID: pid_t) {
        // The process stays a zombie, and its number its own, until `isReaped` is set under the lock.
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (status, waiters) = state.withLock { state in
            var raw: Int32 = 0
            waitpid(processID, &raw, 0)
            state.isReaped = true
            let signal = raw & 0x7f
            let status = signal == 0 ? (raw >> 8) & 0xff : -signal
            state.status = status
            defer { state.exitWaiters = [:] }
            return (status, Array(state.exitWaiters.values))
        }
        for waiter in waiters { waiter.resume(returning: status) }
        failWaitersIfEnded()
    }

    private func failWaitersIfEnded() {
        let (waiters, failure) = state.withLock { state -> ([LineWaiter], PeerFailure?) in
            guard state.isOutputAtEnd, let status = state.status else { return ([], nil) }
            defer { state.lineWaiters = [:] }
            return (Array(state.lineWaiters.values), endedEarly(status: status, lines: state.lines))
        }
        guard let failure else { return }
        for waiter in waiters { waiter.continuation.resume(throwing: failure) }
    }

    private func endedEarly(status: Int32, lines: [String]) -> PeerFailure {
        PeerFailure(
            "\(name) ended with status \(status) before it was ready. It wrote:\n" + lines.joined(separator: "\n"))
    }
}
