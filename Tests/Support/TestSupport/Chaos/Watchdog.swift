// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

/// Runs a closure. If it exceeds a limit, the watchdog reports an issue with the state at that time, and calls
/// `rescue`, which should let the closure end.
///
/// The watchdog has a thread of its own, because all threads of tasks may hang.
package func withWatchdog<Result>(
    _ limit: Duration, dump: @escaping @Sendable () -> String, rescue: @escaping @Sendable () -> Void = {},
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
) async rethrows -> Result {
    let over = DispatchSemaphore(value: 0)
    let report = Mutex<String?>(nil)
    let seconds = limit / .seconds(1)
    Thread.detachNewThread {
        guard over.wait(timeout: .now() + seconds) == .timedOut else { return }
        let text = "Hangs after \(limit): \(dump())"
        report.withLock { $0 = text }
        FileHandle.standardError.write(Data((text + "\n").utf8))
        rescue()
    }
    defer {
        over.signal()
        if let text = report.withLock({ $0 }) { Issue.record(Comment(rawValue: text)) }
    }
    return try await body()
}

/// Waits for a condition that nothing reports, or until a time has passed. It yields meanwhile.
///
/// - Returns: Whether the condition holds.
@discardableResult
package func untilTrue(within limit: Duration = .seconds(30), _ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
        if Task.isCancelled || ContinuousClock.now > end { return condition() }
        await Task.yield()
    }
    return true
}

/// Waits until the task is cancelled.
package func untilCancelled() async {
    let (stream, end) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    withExtendedLifetime(end) {}
}
