// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
public import Testing

/// A test that starts processes (`#expect(processExitsWith:)`) runs on threads of its own.
///
/// Swift Testing reads the reports of a process, and each observed output, with calls that block until the process has
/// ended. There are as many shared threads for tasks as processors. With two processors, one process with an observed
/// output, or two processes, would stop the tasks of all other tests. A connected client would not send its request
/// before the listener's timeout.
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
    /// Starts processes without stopping other tests.
    public static var startsProcess: Self { Self() }
}

/// Runs each job on a thread of its own, which the job may block.
final class ThreadForEachJob: TaskExecutor {
    static let shared = ThreadForEachJob()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
