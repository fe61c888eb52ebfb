// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Sends the requests of the input in the order of the lines, and prints the responses in the order of arrival.
struct BatchRun: Sendable {
    var session: any PeerSession
    /// The maximum number of calls in flight.
    var concurrency: Int
    /// The number of requests in a JSON-RPC batch; `nil` to send each request by itself.
    var arrayLength: Int?
    /// The time after which an array is sent although it is not full; `nil` to wait for the end of the input.
    var window: Duration?
    /// Whether responses are printed with the `jsonrpc` member.
    var withVersion = true
    /// Prints a line of output.
    var write: @Sendable ([UInt8]) throws -> Void
    /// Prints a message for the user.
    var say: @Sendable (String) -> Void = { OutputStream.diagnostics.say($0) }

    /// Runs until the end of the input or of the connection. After the end of the connection no line is read; the lines
    /// that were read before are answered.
    ///
    /// - Returns: The worst status of a line.
    func run(_ input: inout StandardInput) async throws -> CommandStatus {
        let stop = input.stop
        let end = Task { [session] in
            let failure = await session.connectionEnd()
            if failure != nil { stop.raise() }
            return failure
        }
        defer { end.cancel() }
        let status = try await answerLines(&input)
        guard input.wasStopped, let failure = await end.value else { return status }
        say("jsonrpc: \(failure.message) Standard input from line \(input.nextLineNumber) on was not read.")
        return .worst(status, failure.status)
    }

    private func answerLines(_ input: inout StandardInput) async throws -> CommandStatus {
        var status = CommandStatus.success
        var pending: [BatchLine] = []
        var inFlight = 0
        let length = arrayLength ?? 1
        // The time at which the pending lines are sent.
        var due: ContinuousClock.Instant?
        let order = LineOrder()
        return try await withThrowingTaskGroup(of: CommandStatus.self) { group in
            func send() async throws {
                // An array that exceeds the limit by itself is sent alone.
                while inFlight > 0, (inFlight + 1) * length > max(concurrency, length) {
                    status = .worst(status, try await group.next() ?? .success)
                    inFlight -= 1
                }
                let lines = pending
                (pending, due) = ([], nil)
                inFlight += 1
                group.addTask(executorPreference: order) { try await perform(lines) }
            }
            reading: while true {
                let line: StandardInput.Line
                switch try await input.next(by: due) {
                case .line(let next): line = next
                case .paused:
                    try await send()
                    continue reading
                case .end: break reading
                }
                do throws(BatchLine.Fault) {
                    guard let request = try BatchLine(line) else { continue }
                    pending.append(request)
                    if pending.count == 1 { due = window.map { .now + $0 } }
                } catch {
                    let failure = CallFailure(kind: .invalid, delivery: .notSent, message: error.message)
                    status = .worst(status, failure.status)
                    try print(error.label, .failure(failure))
                }
                if pending.count == length || due.map({ $0 <= .now }) ?? false { try await send() }
            }
            if !pending.isEmpty { try await send() }
            for try await outcome in group { status = .worst(status, outcome) }
            return status
        }
    }

    private func perform(_ lines: [BatchLine]) async throws -> CommandStatus {
        arrayLength == nil ? try await perform(lines[0]) : try await performArray(lines)
    }

    private func perform(_ line: BatchLine) async throws -> CommandStatus {
        let outcome: Result<RawJSON, CallFailure>
        do {
            if line.isNotification {
                try await session.notify(line.method, params: line.params, extraMembers: line.extraMembers)
                return .success
            }
            outcome = .success(
                try await session.call(line.method, params: line.params, extraMembers: line.extraMembers))
        } catch {
            outcome = .failure(CallFailure(error))
        }
        return try print(line.label, outcome)
    }

    private func performArray(_ lines: [BatchLine]) async throws -> CommandStatus {
        var outcomes: [Result<RawJSON, any Error>?]
        do {
            outcomes = try await session.batch(lines)
        } catch {
            outcomes = lines.map { _ in .failure(error) }
        }
        var status = CommandStatus.success
        for (line, outcome) in zip(lines, outcomes) {
            guard let outcome else { continue }
            status = .worst(status, try print(line.label, outcome.mapError { CallFailure($0) }))
        }
        return status
    }

    @discardableResult
    private func print(_ label: RawJSON, _ outcome: Result<RawJSON, CallFailure>) throws -> CommandStatus {
        let answer = BatchAnswer(label: label, outcome: outcome)
        try write(answer.line(withVersion: withVersion))
        return answer.status
    }
}
