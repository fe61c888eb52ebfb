// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Waits until a condition holds, and lets other tasks run meanwhile. It is for conditions that have no event.
///
/// - Parameter what: The condition in words, which the error shows: "both calls are in flight".
/// - Throws: ``NotMet`` if the task is cancelled first, for example because the time limit of the test has passed.
public func yieldUntil(
    _ what: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line,
    _ condition: () async throws -> Bool
) async throws {
    while try await !condition() {
        guard !Task.isCancelled else {
            throw NotMet(description: "The task was cancelled while waiting until \(what()) (\(file):\(line)).")
        }
        await Task.yield()
    }
}

/// A condition that did not hold before the task was cancelled.
public struct NotMet: Error, CustomStringConvertible {
    public let description: String
}
