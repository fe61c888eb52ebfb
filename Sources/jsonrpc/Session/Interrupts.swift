// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Lets a command end properly when the user interrupts it.
///
/// The first SIGINT or SIGTERM cancels the command's task, which closes its connections with a closing handshake. The
/// second ends the process at once. Signal dispositions are the process's own affair, so only the tool touches them.
enum Interrupts {
    private struct State {
        /// The first signal that came.
        var signal: Int32?
        var task: Task<Void, any Error>?
    }

    /// Runs `body` until it returns or a signal comes.
    ///
    /// - Returns: the signal that came, if one did, and how `body` ended.
    static func run(_ body: @escaping @Sendable () async throws -> Void) async -> (
        signal: Int32?, failure: (any Error)?
    ) {
        // A reader that goes away shows as an error of `write`, so that the connection can still be closed properly.
        signal(SIGPIPE, SIG_IGN)
        let state = Mutex(State())
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let (isFirst, task) = state.withLock { state in
                    defer { state.signal = state.signal ?? number }
                    return (state.signal == nil, state.task)
                }
                if !isFirst { _exit(128 + number) }
                task?.cancel()
            }
            // A signal that comes before the source is registered is ignored, and nobody would learn of it.
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
            sources.append(source)
        }
        let task = Task { try await body() }
        let isInterrupted = state.withLock { state in
            state.task = task
            return state.signal != nil
        }
        if isInterrupted { task.cancel() }
        let result = await task.result
        for source in sources { source.cancel() }
        let failure: (any Error)? =
            switch result {
            case .success: nil
            case .failure(let error): error
            }
        return (state.withLock { $0.signal }, failure)
    }

    /// Returns when the task is cancelled.
    static func untilCancelled() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        // Held until here: letting go of it would end the stream.
        continuation.finish()
    }

    static func status(after signal: Int32) -> CommandStatus {
        signal == SIGTERM ? .terminated : .interrupted
    }

    static func endProcess(with status: CommandStatus) -> Never {
        exit(status.rawValue)
    }
}
