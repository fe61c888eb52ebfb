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
    /// Runs `body` until it returns or a signal comes.
    ///
    /// - Returns: the signal that came, if one did, and how `body` ended.
    static func run(_ body: @escaping @Sendable () async throws -> Void) async -> (
        signal: Int32?, failure: (any Error)?
    ) {
        // A reader that goes away shows as an error of `write`, so that the connection can still be closed properly.
        signal(SIGPIPE, SIG_IGN)
        let task = Task { try await body() }
        let received = Mutex<Int32?>(nil)
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isFirst = received.withLock { received in
                    defer { received = received ?? number }
                    return received == nil
                }
                if !isFirst { _exit(128 + number) }
                task.cancel()
            }
            source.resume()
            return source
        }
        let result = await task.result
        for source in sources { source.cancel() }
        let failure: (any Error)? =
            switch result {
            case .success: nil
            case .failure(let error): error
            }
        return (received.withLock { $0 }, failure)
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
