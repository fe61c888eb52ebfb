// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
public import Testing

/// A test that starts processes (`#expect(processExitsWith:)`) runs on threads of its own.
///
/// Swift Testing reads what a process reports to it, and each output that is observed, with calls that block until the
/// process has ended. On the threads that all tasks share, of which there are as many as processors, one process with an
/// observed output, or two processes, would stop the tasks of every other test with two processors. A client that has
/// connected would not get to its request before the listener gave it up.
public struct ProcessTrait: TestTrait, SuiteTrait, TestScoping {
    public let isRecursive = true

    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(ThreadForEachJob.shared) { try await function() }
    }
}

extension Trait where Self == ProcessTrait {
    /// Starts processes, and stops no other test while they run.
    public static var startsProcess: Self { Self() }
}

/// Runs each job on a thread of its own, which it may block.
final class ThreadForEachJob: TaskExecutor {
    static let shared = ThreadForEachJob()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
