// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import ToolSupport

/// Runs the prompt or a script until its last line or the end of the connection.
extension Console {
    private enum Outcome: Sendable {
        case finished(CommandStatus)
        case ended(any Error)
    }

    /// Reads lines at the terminal until the user quits. Throws the reason if the connection ends before.
    func atTerminal(
        _ editor: LineEditor, _ notifications: NotificationStream<InboundNotification>, asksForMethods: Bool
    ) async throws {
        editor.start()
        if asksForMethods { Task { [self] in await methods.ask(session.client) } }
        let outcome = await first(notifications) { [self] in
            for await input in editor.inputs {
                switch input {
                case .interrupt:
                    if await calls.cancel() == nil { show("Press Ctrl-D or enter :quit to quit.") }
                case .line(let line):
                    if await enter(line) == .quit { return .success }
                }
            }
            return .success
        }
        methods.stopAsking()
        // After a signal, the connection may seem to have ended.
        if case .ended = outcome, !Task.isCancelled {} else { await giveUpCalls() }
        // Calls that the end of the connection fails are shown before the reason of the end.
        await calls.ended()
        await editor.stop()
        guard case .ended(let failure) = outcome else { return }
        guard var lost = failure as? CallFailure, lost.kind == .lost, advice != nil else { throw failure }
        lost.message += advice.map { " \($0)" } ?? ""
        throw lost
    }

    /// Ends the calls in flight, and those of the peer, which would delay the closing handshake.
    private func giveUpCalls() async {
        let ours = await calls.all.count
        if ours > 0 { show(ours == 1 ? "1 call in flight is given up." : "\(ours) calls in flight are given up.") }
        let theirs = await desk.refuseAll()
        if theirs > 0 {
            show(theirs == 1 ? "1 call of the peer is refused." : "\(theirs) calls of the peer are refused.")
        }
        await calls.cancelAll()
    }

    /// Performs the lines of standard input, each when the line before has been answered. Throws ``Exit`` with the
    /// worst status, or the reason if the connection ends before the last line.
    func script(_ notifications: NotificationStream<InboundNotification>) async throws {
        let outcome = await first(notifications) { [self] in
            var status = CommandStatus.success
            var input = try StandardInput()
            while let line = try await input.nextLine() {
                do {
                    guard let parsed = try PromptLine.parse(String(decoding: line.bytes, as: UTF8.self)) else {
                        continue
                    }
                    if parsed == .quit { break }
                    status = .worst(status, try await perform(parsed, ofLine: line.number))
                } catch let error as UsageError {
                    show("jsonrpc: Line \(line.number): \(TerminalText.line("\(error)"))")
                    status = .worst(status, .usage)
                } catch let failure as CallFailure {
                    status = .worst(status, try report(failure, ofLine: line.number))
                }
            }
            return status
        }
        switch outcome {
        case .finished(.success): return
        case .finished(let status): throw Exit(status: status)
        case .ended(let failure): throw failure
        }
    }

    // MARK: Lines

    /// Performs a line of a script. Throws the failure of a notification, or of a call whose connection has ended.
    private func perform(_ line: PromptLine, ofLine number: Int) async throws -> CommandStatus {
        guard case .call(let method, let params) = line else {
            if let text = try await perform(line) { try OutputStream.standard.write(line: text) }
            return .success
        }
        return try await call(method, params) { outcome in
            do {
                try OutputStream.standard.write(line: formatter.format(try outcome.get()))
                return .success
            } catch let failure as CallFailure {
                return try report(failure, ofLine: number)
            }
        }
    }

    /// Shows the failure of a line of a script. Throws the failure itself if the connection has ended.
    private func report(_ failure: CallFailure, ofLine number: Int) throws -> CommandStatus {
        if [.lost, .protocolViolation].contains(failure.kind) { throw failure }
        show(failure.errorJSON.map(text.compact) ?? "jsonrpc: Line \(number): \(failure.message)")
        return failure.status
    }

    private enum Continuation { case stay, quit }

    /// Performs a line of the user. Calls go on in tasks of their own.
    private func enter(_ line: String) async -> Continuation {
        do {
            switch try PromptLine.parse(line) {
            case nil: return .stay
            case .quit: return .quit
            case .call(let method, nil) where isMistyped(method, line): show(Self.answer(toPlain: method))
            case .call(let method, let params):
                methods.noteCall(in: method)
                await calls.start(method) { [self] in await call($0, method, params) }
            case let line?:
                if let text = try await perform(line) { show(text) }
            }
        } catch {
            show(TerminalText.line("\((error as? CallFailure)?.message ?? "\(error)")"))
        }
        return .stay
    }

    /// Words that a user types without the colon of a command.
    private static let plainWords: Set<String> = ["help", "quit", "exit"]

    /// Returns whether a line is probably a command without its colon. `:call` calls such a method.
    private func isMistyped(_ method: String, _ line: String) -> Bool {
        Self.plainWords.contains(method) && !methods.describes(method)
            && line.first { !$0.isWhitespace } != ":"
    }

    private static func answer(toPlain word: String) -> String {
        let command = word == "exit" ? "quit" : word
        return "Commands begin with a colon: :\(command). To call the method '\(word)', enter :call \(word)."
            + (word == "help" ? "\n\(PromptCommand.helpText)" : "")
    }

    private func call(_ number: Int, _ method: String, _ params: RawJSON?) async {
        let begin = ContinuousClock.now
        await call(method, params) { outcome in
            switch outcome {
            case .success(let result): show(text.result(result, ofCall: number, after: .now - begin))
            case .failure(is CancellationError):
                show("[\(number)] \(TerminalText.line(method)) was cancelled. The peer may still perform it.")
            case .failure(let error):
                show(text.failure(CallFailure(error), ofCall: number, after: .now - begin))
            }
        }
    }

    // MARK: Connection

    /// Shows notifications while `lines` runs, and returns the first end: that of the lines or of the connection.
    private func first(
        _ notifications: NotificationStream<InboundNotification>,
        _ lines: @escaping @Sendable () async throws -> CommandStatus
    ) async -> Outcome {
        await withTaskGroup(of: Outcome.self) { group in
            group.addTask { [self] in await follow(notifications) }
            group.addTask {
                do {
                    return .finished(try await lines())
                } catch {
                    return .ended(error)
                }
            }
            var outcome = await group.next() ?? .finished(.success)
            group.cancelAll()
            for await later in group {
                // The failure of a call is the most specific description of the end.
                if case .ended = outcome, case .ended(let failure as CallFailure) = later, failure.kind != .cancelled {
                    outcome = later
                }
            }
            return outcome
        }
    }

    private func follow(_ notifications: NotificationStream<InboundNotification>) async -> Outcome {
        do {
            for try await element in notifications where await !order.takes(element) {
                switch element {
                case .value(let notification): show(text.notification(notification))
                case .gap(let gap): show(String(decoding: NotificationText.gapLine(gap), as: UTF8.self))
                }
            }
        } catch {
            // Outcomes of calls may still wait for their turn.
            order.end()
            // The end of the connection is more specific than the end of the stream.
            return .ended(await session.connectionEnd() ?? session.failure(error))
        }
        order.end()
        return .ended(await session.connectionEnd() ?? CancellationError())
    }
}
