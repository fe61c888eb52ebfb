// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import ToolSupport

/// Sends the requests of the input in the order of the lines, and prints the responses in the order of arrival.
struct BatchRun: Sendable {
    var session: any PeerSession
    var concurrency: Int
    /// The number of requests in a JSON-RPC batch; `nil` to send each request by itself.
    var arrayLength: Int?
    /// The time after which an array is sent although it is not full; `nil` to wait for the end of the input.
    var window: Duration?
    var withVersion = true
    var write: @Sendable ([UInt8]) throws -> Void
    var say: @Sendable (String) -> Void = { OutputStream.diagnostics.say($0) }

    /// Runs until the end of the input or of the connection. After the end of the connection no line is read; the lines
    /// that were read before are answered. Returns the worst status of a line.
    func run(_ input: inout StandardInput) async throws -> CommandStatus {
        let stop = input.stop
        let end = Task { [session] in
            let failure = await session.connectionEnd()
            if failure != nil { stop.raise() }
            return failure
        }
        defer { end.cancel() }
        let status: CommandStatus
        do {
            status = try await answerLines(&input)
            try Task.checkCancellation()
        } catch {
            if Task.isCancelled { say("jsonrpc: Interrupted.\(Self.unread(&input))") }
            throw error
        }
        guard input.wasStopped, let failure = await end.value else { return status }
        say("jsonrpc: \(failure.message)\(Self.unread(&input))")
        return .worst(status, failure.status)
    }

    /// Returns a sentence about the lines that were not read; an empty text if all were.
    private static func unread(_ input: inout StandardInput) -> String {
        input.mayHaveMore() ? " Standard input from line \(input.nextLineNumber) on was not read." : ""
    }

    private func answerLines(_ input: inout StandardInput) async throws -> CommandStatus {
        if let arrayLength { return try await answerArrays(of: arrayLength, &input) }
        let queue = LineQueue(limit: concurrency, together: session.makesManyCalls)
        // Reading runs there, too, so that lines are read, and sent together, after all pending outcomes are printed.
        try await withTaskExecutorPreference(LineOrder()) { try await answerLines(&input, queue) }
        return queue.status
    }

    private func answerLines(_ input: inout StandardInput, _ queue: LineQueue) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while !group.isCancelled, case .line(let line) = try await input.next(by: nil) {
                guard let request = try request(line, status: queue.note) else { continue }
                await queue.room()
                guard queue.add(request) else { continue }
                group.addTask { try await perform(queue.take(), queue) }
            }
        }
    }

    /// Sends one notification, or several calls at once.
    private func perform(_ lines: [BatchLine], _ queue: LineQueue) async throws {
        guard let first = lines.first else { return }
        var isOpen = lines.map { _ in true }
        // Lines that are still open at the end have no outcome: notifications, and calls after printing has failed.
        defer { queue.end(isOpen.count { $0 }) }
        func end(_ index: Int, _ outcome: Result<RawJSON, any Error>) throws {
            queue.note(try print(lines[index].label, outcome.mapError { CallFailure($0) }))
            isOpen[index] = false
            queue.end(1)
        }
        if first.isNotification {
            do {
                try await session.notify(first.method, params: first.params, extraMembers: first.extraMembers)
            } catch {
                try end(0, .failure(error))
            }
            return
        }
        do {
            try await session.call(lines) { try end($0, $1) }
        } catch let error as CancellationError {
            for index in lines.indices where isOpen[index] { try end(index, .failure(error)) }
        }
    }

    /// Returns the request of a line; `nil` if the line is blank or invalid. It prints the fault of an invalid line.
    private func request(_ line: StandardInput.Line, status: (CommandStatus) -> Void) throws -> BatchLine? {
        do throws(BatchLine.Fault) {
            return try BatchLine(line)
        } catch {
            let failure = CallFailure(kind: .invalid, delivery: .notSent, message: error.message)
            status(
                try print(
                    BatchAnswer(
                        label: error.id ?? .null, line: error.id == nil ? error.line : nil, outcome: .failure(failure)))
            )
            return nil
        }
    }

    // MARK: Arrays

    private func answerArrays(of length: Int, _ input: inout StandardInput) async throws -> CommandStatus {
        var status = CommandStatus.success
        var pending: [BatchLine] = []
        var inFlight = 0
        // The time at which the pending lines are sent.
        var due: ContinuousClock.Instant?
        let order = LineOrder()
        // Whether an array has ended, and whether all of them failed as a whole.
        var (hasEnded, areAllRefused) = (false, false)
        func note(_ array: ArrayEnd?) {
            guard let array else { return }
            status = .worst(status, array.status)
            guard let isRefused = array.isRefused else { return }
            areAllRefused = isRefused && (areAllRefused || !hasEnded)
            hasEnded = true
        }
        return try await withThrowingTaskGroup(of: ArrayEnd.self) { group in
            func send() async throws {
                // An array that exceeds the limit by itself is sent alone.
                while inFlight > 0, inFlight + 1 > max(concurrency, length) / length {
                    note(try await group.next())
                    inFlight -= 1
                }
                let lines = pending
                (pending, due) = ([], nil)
                inFlight += 1
                group.addTask(executorPreference: order) { try await performArray(lines) }
            }
            reading: while true {
                let line: StandardInput.Line
                switch try await next(&input, by: due, pending) {
                case .line(let next): line = next
                case .paused:
                    try await send()
                    continue reading
                case .end: break reading
                }
                if let request = try request(line, status: { status = .worst(status, $0) }) {
                    pending.append(request)
                    if pending.count == 1 { due = window.map { .now + $0 } }
                }
                if pending.count == length || due.map({ $0 <= .now }) ?? false { try await send() }
            }
            if !pending.isEmpty { try await send() }
            for try await array in group { note(array) }
            if areAllRefused {
                say("jsonrpc: The server answered no batch. If it does not accept batches, leave out --as-batch.")
            }
            return status
        }
    }

    /// Returns the next line. After an interruption, it reports the lines that wait for their array as not sent.
    private func next(
        _ input: inout StandardInput, by due: ContinuousClock.Instant?, _ pending: [BatchLine]
    ) async throws -> StandardInput.Reading {
        do {
            return try await input.next(by: due)
        } catch let error as CancellationError {
            let failure = CallFailure(
                kind: .cancelled, delivery: .notSent, message: "The call was cancelled before it was sent.")
            for line in pending { try print(line.label, .failure(failure)) }
            throw error
        }
    }

    private struct ArrayEnd {
        var status: CommandStatus
        /// Whether the array failed as a whole; `nil` if it had one line.
        var isRefused: Bool?
    }

    private func performArray(_ lines: [BatchLine]) async throws -> ArrayEnd {
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
        return ArrayEnd(status: status, isRefused: lines.count > 1 ? outcomes.allSatisfy(Self.mayBeRefusal) : nil)
    }

    /// Whether an outcome can come from a server that does not accept arrays.
    private static func mayBeRefusal(_ outcome: Result<RawJSON, any Error>?) -> Bool {
        guard case .failure(let error)? = outcome else { return false }
        if let error = error as? ErrorObject { return [.parseError, .invalidRequest].contains(error.code) }
        return [.status, .lost, .protocolViolation].contains(CallFailure(error).kind)
    }

    @discardableResult
    private func print(_ label: RawJSON, _ outcome: Result<RawJSON, CallFailure>) throws -> CommandStatus {
        try print(BatchAnswer(label: label, outcome: outcome))
    }

    private func print(_ answer: BatchAnswer) throws -> CommandStatus {
        try write(answer.line(withVersion: withVersion))
        return answer.status
    }
}
