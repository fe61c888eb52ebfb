// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Synchronization
public import Testing

/// A test waits until it has a place, because only a few tests of a process run at once. Its time limit starts then.
///
/// All tests of a process share as many threads as there are processors. If all began at once, a test that waits for a
/// peer would be behind tests that compute, and its connection would time out before the test could react.
public struct TurnTrait: TestTrait, SuiteTrait, TestScoping {
    @TaskLocal private static var isInTurn = false

    let limit: Duration?
    /// Whether the test reads the output of a process.
    var observesProcess = false
    private static let showsTimes = ProcessInfo.processInfo.environment["JSONRPC_TEST_TIMES"] != nil
    private var executor: ThreadForEachJob? { observesProcess ? .shared : nil }

    public let isRecursive = true

    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite takes no turn, but its tests do.
        guard testCase != nil, !Self.isInTurn else { return try await function() }
        if observesProcess { await Turnstile.observers.enter() }
        defer { if observesProcess { Turnstile.observers.leave() } }
        await Turnstile.shared.enter()
        defer { Turnstile.shared.leave() }
        let began = ContinuousClock.now
        // The times that Swift Testing prints include the wait for the turn.
        defer { if Self.showsTimes { print("turn: \(ContinuousClock.now - began) \(test.id)") } }
        try await withoutActuallyEscaping(function) { function in
            try await Self.$isInTurn.withValue(true) {
                try await withTaskExecutorPreference(executor) {
                    guard let limit else { return try await function() }
                    try await run(function, within: limit)
                }
            }
        }
    }

    private func run(_ function: @escaping @concurrent @Sendable () async throws -> Void, within limit: Duration)
        async throws
    {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await function()
                return true
            }
            group.addTask {
                try? await ContinuousClock().sleep(for: limit)
                return false
            }
            if try await group.next() == false {
                Issue.record("The test did not end within \(limit).")
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}

extension Trait where Self == TurnTrait {
    /// Runs with few other tests at the same time.
    public static var inTurn: Self { Self(limit: nil) }

    /// Runs with few other tests at the same time. If the limit passes, the test fails and is cancelled.
    public static func inTurn(within limit: Duration) -> Self { Self(limit: limit) }

    /// The same for a test that observes the output of a process (`#expect(processExitsWith:observing:)`), on threads
    /// of its own (``ProcessTrait``). Such tests use much time of the machine, so they run one after the other.
    public static func inTurnWithProcess(within limit: Duration) -> Self { Self(limit: limit, observesProcess: true) }
}

/// Admits a limited number of tasks; the others wait in order.
private final class Turnstile: Sendable {
    static let shared = Turnstile(places: 4)
    static let observers = Turnstile(places: 1)

    private struct State {
        var places: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(places: Int) { state = Mutex(State(places: places)) }

    func enter() async {
        await withCheckedContinuation { continuation in
            let enters = state.withLock { state in
                guard state.places == 0 else {
                    state.places -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if enters { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.places += 1
            return nil
        }
        next?.resume()
    }
}
