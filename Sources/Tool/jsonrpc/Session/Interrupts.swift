// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import Synchronization
import TaskWaits
import ToolSupport

/// Shuts a command down gracefully when the user interrupts it.
///
/// The first SIGINT or SIGTERM cancels the command's task, which closes its connections with a closing handshake. The
/// second ends the process at once, with the terminal as it was. Programs use `runUntilInterrupted` of the library.
enum Interrupts {
    /// The number of reads in progress that cannot be cancelled.
    private static let blockingReads = Atomic<Int>(0)

    /// Reads a file that may block, such as a pipe. A signal ends the process meanwhile: commands read their files before
    /// they connect.
    static func whileReading<Contents>(_ body: () throws -> Contents) rethrows -> Contents {
        blockingReads.wrappingAdd(1, ordering: .relaxed)
        defer { blockingReads.wrappingSubtract(1, ordering: .relaxed) }
        return try body()
    }

    /// Runs `body`, and cancels it when a signal arrives.
    ///
    /// - Parameter endsAtOnce: Whether the first signal ends the process like the second.
    /// - Returns: The status for the first signal that arrived, if any, and the error that `body` threw, if any.
    static func run(endsAtOnce: Bool, _ body: @escaping @Sendable () async throws -> Void) async -> (
        interruption: CommandStatus?, failure: (any Error)?
    ) {
        // Without SIGPIPE a closed reader is an error of `write`, so the connection can still be closed with a
        // handshake.
        signal(SIGPIPE, SIG_IGN)
        // The first signal that arrived; 0 before it.
        let first = Atomic<Int32>(0)
        let isWatched = CancellableWait<Void>()
        let task = Task {
            try await isWatched.value()
            try await body()
        }
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isFirst = first.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged
                if !isFirst || endsAtOnce || blockingReads.load(ordering: .relaxed) > 0 {
                    TerminalMode.restore()
                    _exit(128 + number)
                }
                task.cancel()
            }
            // A signal that arrives before the source is registered would be lost.
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
            sources.append(source)
        }
        isWatched.resume()
        var failure: (any Error)?
        do { try await task.value } catch { failure = error }
        for source in sources { source.cancel() }
        // There is no status for 128, which stands for no signal.
        return (CommandStatus(rawValue: 128 + first.load(ordering: .relaxed)), failure)
    }

    static func untilCancelled() async { try? await CancellableWait<Void>().value() }

    static func endProcess(with status: CommandStatus) -> Never {
        TerminalMode.restore()
        exit(status.rawValue)
    }
}
