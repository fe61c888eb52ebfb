// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The calls of the prompt that have no response yet.
actor CallsInFlight {
    private struct Call {
        var method: String
        var begin: ContinuousClock.Instant
        var task: Task<Void, Never>
    }

    /// The time limit of later calls.
    private(set) var timeout: TimeLimitOption
    private var calls: [Int: Call] = [:]
    private var lastNumber = 0

    init(timeout: TimeLimitOption) { self.timeout = timeout }

    func setTimeout(_ timeout: TimeLimitOption) { self.timeout = timeout }

    /// Starts a call in a task of its own. The task gets the number of the call.
    func start(_ method: String, _ body: @escaping @Sendable @concurrent (Int) async -> Void) {
        lastNumber += 1
        let number = lastNumber
        let task = Task {
            await body(number)
            calls[number] = nil
        }
        calls[number] = Call(method: method, begin: .now, task: task)
    }

    /// Cancels a call, or the latest. Returns its number; `nil` if there is none.
    func cancel(_ number: Int? = nil) -> Int? {
        guard let number = number ?? calls.keys.max(), let call = calls[number] else { return nil }
        call.task.cancel()
        return number
    }

    var all: [(number: Int, method: String, time: Duration)] {
        calls.sorted { $0.key < $1.key }.map { ($0.key, $0.value.method, .now - $0.value.begin) }
    }

    func cancelAll() {
        for call in calls.values { call.task.cancel() }
    }

    func ended() async {
        for call in calls.values { await call.task.value }
    }
}
