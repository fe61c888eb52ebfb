// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization
import TaskWaits

/// Prints the results of calls in the order of the wire, among the notifications of the same connection.
///
/// A response ends a task, and a notification waits in a stream, so neither knows the place of the other. When a call
/// ends, a mark is put into the stream of notifications. The task that prints notifications stops at the mark until the
/// outcome of the call is printed.
final class ResultOrder: Sendable {
    private struct Mark {
        /// False until the call has ended.
        var isInStream = false
        /// The end of the call's wait for the task that prints notifications.
        let turn = CancellableWait<Void>()
        /// The end of that task's wait for the outcome.
        let printed = CancellableWait<Void>()
    }

    private struct State {
        /// The calls whose outcomes are not printed yet.
        var marks: [Int: Mark] = [:]
        var lastNumber = 0
        /// True when nobody prints notifications any more.
        var isOver = false
    }

    /// The method of a mark. Its params are a number, which is not valid for a notification of a peer
    /// (JSON-RPC 2.0 §4.2).
    private static let method = "jsonrpc.result"

    private let state = Mutex(State())

    // MARK: Calls

    /// Makes a call, and prints its outcome when all notifications before the response are printed.
    ///
    /// - Parameters:
    ///   - call: Makes the call with these options.
    ///   - print: Prints the outcome. Notifications after the response are printed after it returns.
    func call<T>(
        _ client: JSONRPCClient, extraMembers: ExtraMembers = ExtraMembers(),
        _ call: (CallOptions) async throws -> RawJSON, print: (Result<RawJSON, any Error>) throws -> T
    ) async rethrows -> T {
        let mark = Mark()
        let number = state.withLock { state in
            state.lastNumber += 1
            state.marks[state.lastNumber] = mark
            return state.lastNumber
        }
        let options = CallOptions(extraMembers: extraMembers) { [self] in place(number, client) }
        let outcome = await Result(of: { try await call(options) })
        // A call that could not be made has no mark yet.
        place(number, client)
        // Neither wait ends with a cancellation: the order holds for cancelled calls as well.
        if state.withLock({ $0.marks[number]?.isInStream == true }) { try? await mark.turn.value(onCancel: {}) }
        defer {
            state.withLock { $0.marks[number] = nil }
            mark.printed.resume()
        }
        return try print(outcome)
    }

    private func place(_ number: Int, _ client: JSONRPCClient) {
        let isNew = state.withLock { state in
            guard !state.isOver, state.marks[number]?.isInStream == false else { return false }
            state.marks[number]?.isInStream = true
            return true
        }
        guard isNew, let params = try? RawJSON(validating: String(number)) else { return }
        client.deliver(InboundNotification(method: Self.method, params: params))
    }

    // MARK: Notifications

    /// Takes an element of the stream before it is printed. If it is a mark, waits until the outcome of its call is
    /// printed. Returns true for a mark, which is not printed.
    func takes(_ element: NotificationElement<InboundNotification>) async -> Bool {
        switch element {
        case .gap:
            // The gap may have replaced marks.
            release()
            return false
        case .value(let notification):
            guard notification.method == Self.method, let number = notification.params.flatMap({ Int($0.text) }),
                state.withLock({ (1...max(1, $0.lastNumber)).contains(number) })
            else { return false }
            // Without a mark, the outcome was printed because of a gap.
            if let mark = state.withLock({ $0.marks[number] }), mark.isInStream {
                mark.turn.resume()
                try? await mark.printed.value(onCancel: {})
            }
            return true
        }
    }

    /// Lets the outcomes of ended calls be printed at once.
    private func release() {
        let marks = state.withLock { state in
            defer { state.marks = state.marks.filter { !$0.value.isInStream } }
            return state.marks.values.filter(\.isInStream)
        }
        for mark in marks { mark.turn.resume() }
    }

    /// Notes that no more notifications are printed. Outcomes are printed at once from now on.
    func end() {
        state.withLock { $0.isOver = true }
        release()
    }
}

/// Prints the results of several calls in the order of the calls, since a line does not name its call.
///
/// A result is held back until the calls before it have results, or until ``printRest()``.
final class ResultPrinter: Sendable {
    private struct State {
        var held: [Int: [UInt8]] = [:]
        /// The first call that has no result yet.
        var next = 0
    }

    private let state = Mutex(State())
    private let stream: OutputStream

    init(to stream: OutputStream) { self.stream = stream }

    /// Takes the result of a call, and prints it and the results that were held back for it.
    func print(_ line: [UInt8], ofCall index: Int) {
        // The lines are written under the lock, so that two threads cannot swap them.
        state.withLock { state in
            state.held[index] = line
            while let line = state.held.removeValue(forKey: state.next) {
                state.next += 1
                // A closed standard error must not end the listening.
                try? stream.write(line: line)
            }
        }
    }

    /// Prints the results that wait for a call without a result.
    func printRest() {
        state.withLock { state in
            for (_, line) in state.held.sorted(by: { $0.key < $1.key }) { try? stream.write(line: line) }
            state.held = [:]
        }
    }
}
