// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import ToolSupport

/// Performs the lines of a user or a script on one connection.
struct Console: Sendable {
    let session: LibrarySession
    let desk: PeerCallDesk
    let trace: MessageTrace
    let text: ConsoleText
    let formatter: JSONFormatter
    let show: @Sendable (String) -> Void
    /// A sentence for the user whose connection is lost; `nil` if the client reconnects.
    let advice: String?
    let pastLines: [String]
    let methods: KnownMethods
    let calls: CallsInFlight
    let order = ResultOrder()

    /// Makes a call, and prints its outcome in order with the notifications. Errors are ``CallFailure``s and
    /// `CancellationError`s.
    func call<T>(
        _ method: String, _ params: RawJSON?, print: (Result<RawJSON, any Error>) throws -> T
    ) async rethrows -> T {
        let limit = await calls.timeout.duration
        return try await order.call(session.client) { options in
            try await session.client.callRaw(
                method, params: params, timeout: limit.map { .after($0) } ?? .none, options: options)
        } print: { outcome in
            try print(outcome.mapError { failure($0) })
        }
    }

    /// Returns the error of the prompt for an error of the library.
    func failure(_ error: any Error) -> any Error {
        var context = session.failureContext
        context.timeoutOption = ":timeout"
        return error is CancellationError ? error : CallFailure(error, context)
    }

    /// Performs a line other than a call.
    ///
    /// - Returns: Text to show; `nil` if there is none.
    /// - Throws: ``UsageError``, or the failure of a notification.
    func perform(_ line: PromptLine) async throws -> String? {
        switch line {
        case .call, .quit: return nil
        case .notify(let method, let params):
            do {
                try await session.client.notifyRaw(method, params: params, options: CallOptions())
            } catch {
                throw failure(error)
            }
            return nil
        case .answer(let number, let result): return try await answer(number, .success(result))
        case .error(let number, let error): return try await answer(number, .failure(error))
        case .rule(let method, let result):
            await desk.setRule(method, result)
            return nil
        case .forget(let method):
            guard await desk.setRule(method, nil) else { throw UsageError("There is no rule for '\(method)'.") }
            return nil
        case .rules:
            let rules = await desk.rules.map { "\(TerminalText.line($0.method)) \(text.compact($0.result))" }
            return rules.isEmpty ? "There are no rules. Set one with :rule METHOD JSON." : rules.joined(separator: "\n")
        case .pending: return await pending
        case .cancel(let number):
            guard await calls.cancel(number) != nil else { throw UsageError("Call [\(number)] is not in flight.") }
            return nil
        case .methods(let part): return await methods.list(containing: part, session.client)
        case .timeout(let limit):
            await calls.setTimeout(limit)
            return nil
        case .raw(let isOn):
            trace.turn(on: isOn)
            return nil
        case .help: return PromptCommand.helpText
        }
    }

    private func answer(_ number: Int, _ outcome: Result<RawJSON, any Error>) async throws -> String? {
        guard await desk.settle(number, outcome) != nil else {
            throw UsageError("No call #\(number) waits for an answer. :pending lists the calls that do.")
        }
        return nil
    }

    private var pending: String {
        get async {
            let ours = await calls.all.map {
                "[\($0.number)] \(TerminalText.line($0.method))  for \(ConsoleText.time($0.time))"
            }
            let theirs = await desk.waiting.map { text.waiting($0.number, $0.method, $0.params) }
            return ours.isEmpty && theirs.isEmpty ? "No calls are in flight." : (ours + theirs).joined(separator: "\n")
        }
    }
}
