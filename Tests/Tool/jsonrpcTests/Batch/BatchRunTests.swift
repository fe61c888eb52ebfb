// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCWebSocket
import Synchronization
import TestTurns
import Testing
import ToolSupport

@testable import jsonrpc

@Suite(.inTurn(within: .seconds(60))) struct BatchRunTests {
    @Test func eachCallIsAnsweredUnderItsLabel() async throws {
        let (status, lines) = try await run(
            #"{"method":"echo","params":[1]}"#, "", #"{"method":"echo","params":[2],"id":"b"}"#,
            #"{"method":"echo","notification":true}"#, #"{"method":"echo","params":[4]}"#)
        #expect(status == .success)
        #expect(
            lines.sorted() == [
                #"{"jsonrpc":"2.0","id":"b","result":[2]}"#, #"{"jsonrpc":"2.0","id":1,"result":[1]}"#,
                #"{"jsonrpc":"2.0","id":5,"result":[4]}"#,
            ])
    }

    @Test func answersComeInOrderOfArrival() async throws {
        // "hold" is answered only after "release" was called.
        let (status, lines) = try await run(#"{"method":"hold"}"#, #"{"method":"release"}"#, concurrency: 2)
        #expect(status == .success)
        #expect(lines == [#"{"jsonrpc":"2.0","id":2,"result":null}"#, #"{"jsonrpc":"2.0","id":1,"result":null}"#])
    }

    @Test(arguments: [1, 3, 50]) func callsInFlightStayWithinTheLimit(_ concurrency: Int) async throws {
        let session = ScriptedSession()
        let lines = (0..<200).map { _ in #"{"method":"count"}"# }
        let (status, output) = try await run(lines, session: session, concurrency: concurrency)
        #expect(status == .success)
        #expect(output.count == 200)
        #expect(session.mostInFlight <= concurrency)
        #expect(session.mostInFlight > 0)
    }

    @Test(arguments: [nil, 1, 7]) func requestsAreBegunInTheOrderOfTheLines(_ arrayLength: Int?) async throws {
        let session = ScriptedSession()
        let lines = (1...300).map {
            #"{"method":"echo","params":[\#($0)]\#($0.isMultiple(of: 3) ? #","notification":true"# : "")}"#
        }
        let (status, output) = try await run(lines, session: session, concurrency: 1000, arrayLength: arrayLength)
        #expect(status == .success)
        #expect(output.count == 200)
        #expect(session.begun == (1...300).map { "[\($0)]" })
    }

    @Test func aLineThatIsNoRequestIsAnsweredAndTheOthersGoOn() async throws {
        let (status, lines) = try await run("nonsense", #"{"method":"echo","params":[1]}"#)
        #expect(status == .usage)
        #expect(lines.count == 2)
        #expect(lines.contains(#"{"jsonrpc":"2.0","id":2,"result":[1]}"#))
        let failure = #"{"id":null,"line":1,"failure":{"kind":"invalid","delivery":"not_sent","#
        #expect(lines.contains { $0.hasPrefix(failure) })
    }

    @Test func anInvalidLineWithoutAnIDDoesNotTakeTheIDOfAnother() async throws {
        let (status, lines) = try await run(
            #"{"id":2,"method":"echo"}"#, "garbage", #"{"id":"x","method":3}"#)
        #expect(status == .usage)
        #expect(lines.count == 3)
        #expect(lines.filter { $0.contains(#""id":2"#) } == [#"{"jsonrpc":"2.0","id":2,"result":null}"#])
        #expect(lines.filter { $0.hasPrefix(#"{"id":null,"line":2,"failure":{"#) }.count == 1)
        #expect(lines.filter { $0.hasPrefix(#"{"id":"x","failure":{"#) }.count == 1)
    }

    @Test func theWorstLineGivesTheStatus() async throws {
        let (status, lines) = try await run(
            #"{"method":"echo"}"#, #"{"method":"fail"}"#, #"{"method":"lose"}"#, #"{"method":"time out"}"#)
        #expect(status == .connectionLost)
        #expect(lines.count == 4)
        #expect(try await run(#"{"method":"fail"}"#, #"{"method":"echo"}"#).0 == .errorObject)
    }

    @Test func arraysHoldAsManyLinesAsAskedFor() async throws {
        let session = ScriptedSession()
        let lines = (0..<7).map { #"{"method":"echo","params":[\#($0)]}"# }
        let (status, output) = try await run(lines, session: session, arrayLength: 3)
        #expect(status == .success)
        #expect(session.arrayLengths.sorted() == [1, 3, 3])
        #expect(output.sorted() == (0..<7).map { #"{"jsonrpc":"2.0","id":\#($0 + 1),"result":[\#($0)]}"# })
    }

    @Test func anArrayThatIsNotFullIsSentAfterTheWindow() async throws {
        let pipe = InputPipe()
        defer { pipe.closeReadEnd() }
        for number in 1...4 { pipe.write("{\"method\":\"echo\",\"params\":[\(number)]}\n") }
        let answered = AsyncStream.makeStream(of: [UInt8].self)
        let session = ScriptedSession()
        let task = Task {
            var input = try StandardInput(descriptor: pipe.readEnd)
            let run = BatchRun(
                session: session, concurrency: 8, arrayLength: 3, window: .milliseconds(1),
                write: { answered.continuation.yield($0) })
            return try await run.run(&input)
        }
        // The input stays open until the fourth line is answered.
        var answers = answered.stream.makeAsyncIterator()
        for _ in 1...4 { _ = await answers.next() }
        pipe.finish()
        #expect(try await task.value == .success)
        #expect(session.arrayLengths.reduce(0, +) == 4)
        #expect(session.arrayLengths.allSatisfy { $0 <= 3 })
    }

    @Test func anArrayWaitsForALongWindow() async throws {
        let session = ScriptedSession()
        let lines = (0..<7).map { #"{"method":"echo","params":[\#($0)]}"# }
        let (status, _) = try await run(lines, session: session, arrayLength: 3, window: .seconds(3600))
        #expect(status == .success)
        #expect(session.arrayLengths.sorted() == [1, 3, 3])
    }

    @Test func notificationsInArraysHaveNoAnswer() async throws {
        let lines = [#"{"method":"echo","params":[1]}"#, #"{"method":"n","notification":true}"#, #"{"method":"fail"}"#]
        let (status, output) = try await run(lines, session: ScriptedSession(), arrayLength: 3)
        #expect(status == .errorObject)
        #expect(output.count == 2)
    }

    @Test func anInputWithoutAFinalLineFeedIsReadToItsEnd() async throws {
        let pipe = InputPipe()
        defer { pipe.closeReadEnd() }
        pipe.write(#"{"method":"echo","params":[9]}"#)
        pipe.finish()
        var input = try StandardInput(descriptor: pipe.readEnd)
        let collected = Collected()
        let run = BatchRun(session: ScriptedSession(), concurrency: 1, write: { collected.append($0) })
        #expect(try await run.run(&input) == .success)
        #expect(collected.lines == [#"{"jsonrpc":"2.0","id":1,"result":[9]}"#])
    }

    @Test func cancellingEndsTheWaitForInput() async throws {
        let pipe = InputPipe()
        defer { pipe.closeReadEnd() }
        pipe.write("{\"method\":\"echo\",\"params\":[1]}\n")
        let answered = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            var input = try StandardInput(descriptor: pipe.readEnd)
            let run = BatchRun(
                session: ScriptedSession(), concurrency: 1, write: { _ in answered.continuation.yield() })
            return try await run.run(&input)
        }
        // With one line answered and no more to come, the run waits for input.
        var answers = answered.stream.makeAsyncIterator()
        _ = await answers.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        pipe.finish()
    }

    @Test func anInterruptionNamesTheFirstLineThatWasNotRead() async throws {
        let pipe = InputPipe()
        defer { pipe.closeReadEnd() }
        pipe.write("{\"method\":\"echo\",\"params\":[1]}\n")
        let answered = AsyncStream.makeStream(of: Void.self)
        let said = Collected()
        let task = Task {
            var input = try StandardInput(descriptor: pipe.readEnd)
            let run = BatchRun(
                session: ScriptedSession(), concurrency: 1, write: { _ in answered.continuation.yield() },
                say: { said.append(Array($0.utf8)) })
            return try await run.run(&input)
        }
        var answers = answered.stream.makeAsyncIterator()
        _ = await answers.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(said.lines == ["jsonrpc: Interrupted. Standard input from line 2 on was not read."])
        pipe.finish()
    }

    @Test func anInterruptionAccountsForTheLinesThatWaitForTheirArray() async throws {
        let pipe = InputPipe()
        defer { pipe.closeReadEnd() }
        for number in 1...4 { pipe.write("{\"method\":\"echo\",\"params\":[\(number)]}\n") }
        let answered = AsyncStream.makeStream(of: Void.self)
        let (lines, said) = (Collected(), Collected())
        let task = Task {
            var input = try StandardInput(descriptor: pipe.readEnd)
            let run = BatchRun(
                session: ScriptedSession(), concurrency: 8, arrayLength: 3,
                write: {
                    lines.append($0)
                    answered.continuation.yield()
                }, say: { said.append(Array($0.utf8)) })
            return try await run.run(&input)
        }
        var answers = answered.stream.makeAsyncIterator()
        for _ in 1...3 { _ = await answers.next() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // Either the fourth line was read and is then reported, or it was not read.
        let isReported = lines.lines.contains {
            $0.hasPrefix(#"{"id":4,"failure":{"kind":"cancelled","delivery":"not_sent""#)
        }
        let isNamed = said.lines == ["jsonrpc: Interrupted. Standard input from line 4 on was not read."]
        #expect(isReported != isNamed)
        pipe.finish()
    }

    @Test func theRestOfAnInputIsKnown() async throws {
        let pipe = InputPipe()
        defer { pipe.closeReadEnd() }
        pipe.write("a\nb\n")
        var input = try StandardInput(descriptor: pipe.readEnd)
        // Expectations cannot hold a noncopyable value.
        let first = try await input.nextLine()
        let hasSecond = input.mayHaveMore()
        #expect(first?.number == 1 && hasSecond)
        let second = try await input.nextLine()
        // There may still be a writer.
        let isOpen = input.mayHaveMore()
        #expect(second?.number == 2 && isOpen)
        pipe.finish()
        input.stop.raise()
        let end = try await input.nextLine()
        let (wasStopped, hasMore) = (input.wasStopped, input.mayHaveMore())
        #expect(end == nil && wasStopped && !hasMore)
    }

    // MARK: Many calls at once

    @Test(arguments: [1, 7, 1000])
    func aSessionThatMakesManyCallsGetsThemInTheOrderOfTheLines(_ concurrency: Int) async throws {
        let session = ScriptedSession(makesManyCalls: true)
        let lines = (1...300).map {
            #"{"method":"echo","params":[\#($0)]\#($0.isMultiple(of: 10) ? #","notification":true"# : "")}"#
        }
        let (status, output) = try await run(lines, session: session, concurrency: concurrency)
        #expect(status == .success)
        #expect(session.begun == (1...300).map { "[\($0)]" })
        #expect(session.mostInFlight <= concurrency)
        let expected = (1...300).filter { !$0.isMultiple(of: 10) }.map {
            #"{"jsonrpc":"2.0","id":\#($0),"result":[\#($0)]}"#
        }
        #expect(output.sorted() == expected.sorted())
    }

    @Test func aFailureOfOneOfManyCallsIsItsOwn() async throws {
        let (status, output) = try await run(
            [#"{"method":"fail"}"#, #"{"method":"echo","params":[2]}"#, #"{"method":"lose"}"#],
            session: ScriptedSession(makesManyCalls: true))
        #expect(status == .connectionLost)
        #expect(
            output.sorted() == [
                #"{"id":3,"failure":{"kind":"lost","delivery":"outcome_unknown","message":"lost","retryable":false}}"#,
                #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"as asked"}}"#,
                #"{"jsonrpc":"2.0","id":2,"result":[2]}"#,
            ])
    }

    @Test(arguments: [false, true]) func cancelledLinesArePrinted(_ makesManyCalls: Bool) async throws {
        let pipe = InputPipe()
        defer { pipe.closeReadEnd() }
        pipe.write("{\"method\":\"wait\"}\n{\"method\":\"wait\"}\n{\"method\":\"echo\"}\n")
        pipe.finish()
        let answered = AsyncStream.makeStream(of: [UInt8].self)
        let session = ScriptedSession(makesManyCalls: makesManyCalls)
        let task = Task {
            var input = try StandardInput(descriptor: pipe.readEnd)
            let run = BatchRun(session: session, concurrency: 8, write: { answered.continuation.yield($0) })
            return try await run.run(&input)
        }
        var answers = answered.stream.makeAsyncIterator()
        let first = await answers.next()
        #expect(first.map { String(decoding: $0, as: UTF8.self) } == #"{"jsonrpc":"2.0","id":3,"result":null}"#)
        task.cancel()
        for _ in 1...2 {
            let line = await answers.next().map { String(decoding: $0, as: UTF8.self) }
            #expect(line?.contains(#""failure":{"kind":"cancelled","delivery":"outcome_unknown""#) == true)
        }
        // The whole input has been read, so the status is that of the cancelled lines.
        switch await task.result {
        case .success(let status): #expect(status == .interrupted)
        case .failure(let error): #expect(error is CancellationError)
        }
    }

    // MARK: Setting up

    private func run(_ lines: String..., concurrency: Int = 8) async throws -> (CommandStatus, [String]) {
        try await run(lines, session: ScriptedSession(), concurrency: concurrency)
    }

    private func run(
        _ lines: [String], session: ScriptedSession, concurrency: Int = 8, arrayLength: Int? = nil,
        window: Duration? = nil
    ) async throws -> (CommandStatus, [String]) {
        let pipe = InputPipe()
        defer { pipe.closeReadEnd() }
        for line in lines { pipe.write(line + "\n") }
        pipe.finish()
        var input = try StandardInput(descriptor: pipe.readEnd)
        let collected = Collected()
        let run = BatchRun(
            session: session, concurrency: concurrency, arrayLength: arrayLength, window: window,
            write: { collected.append($0) })
        return (try await run.run(&input), collected.lines)
    }
}

/// Answers by the method's name.
private final class ScriptedSession: PeerSession {
    private struct State {
        var inFlight = 0
        var mostInFlight = 0
        var arrayLengths: [Int] = []
        var begun: [String] = []
    }

    let makesManyCalls: Bool
    private let state = Mutex(State())
    private let released = AsyncStream.makeStream(of: Void.self)

    init(makesManyCalls: Bool = false) { self.makesManyCalls = makesManyCalls }

    var mostInFlight: Int { state.withLock { $0.mostInFlight } }
    var arrayLengths: [Int] { state.withLock { $0.arrayLengths } }
    /// The params of calls and notifications, in the order of arrival.
    var begun: [String] { state.withLock { $0.begun } }

    private func begin(_ params: RawJSON?) { state.withLock { $0.begun.append(params?.text ?? "") } }

    func call(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws -> RawJSON {
        begin(params)
        return try await answer(method, params)
    }

    private func answer(_ method: String, _ params: RawJSON?) async throws -> RawJSON {
        switch method {
        case "hold":
            for await _ in released.stream { break }
        case "release": released.continuation.yield()
        case "count": await Task.yield()
        case "wait": await Interrupts.untilCancelled()
        case "fail":
            let error = ErrorObject(code: ErrorObject.Code(rawValue: 1), message: "as asked")
            throw CallFailure(kind: .errorObject, delivery: .answered, message: "", errorObject: error)
        case "lose": throw CallFailure(kind: .lost, delivery: .outcomeUnknown, message: "lost")
        case "time out": throw CallFailure(kind: .timeout, delivery: .outcomeUnknown, message: "late")
        default: break
        }
        try Task.checkCancellation()
        return params ?? .null
    }

    /// Begins the calls in order, and answers them in reverse order.
    func call(_ lines: [BatchLine], eachOutcome: (Int, Result<RawJSON, any Error>) throws -> Void) async throws {
        #expect(makesManyCalls || lines.count == 1)
        state.withLock {
            $0.inFlight += lines.count
            $0.mostInFlight = max($0.mostInFlight, $0.inFlight)
        }
        for line in lines { begin(line.params) }
        await Task.yield()
        for (index, line) in lines.enumerated().reversed() {
            let outcome: Result<RawJSON, any Error>
            do {
                outcome = .success(try await answer(line.method, line.params))
            } catch let error as CancellationError {
                throw error
            } catch {
                outcome = .failure(error)
            }
            state.withLock { $0.inFlight -= 1 }
            try eachOutcome(index, outcome)
        }
    }

    func notify(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws { begin(params) }

    func connectionEnd() async -> CallFailure? {
        await Interrupts.untilCancelled()
        return nil
    }

    func batch(_ lines: [BatchLine]) async throws -> [Result<RawJSON, any Error>?] {
        state.withLock { $0.arrayLengths.append(lines.count) }
        var outcomes: [Result<RawJSON, any Error>?] = []
        for line in lines {
            if line.isNotification {
                begin(line.params)
                outcomes.append(nil)
                continue
            }
            do {
                outcomes.append(.success(try await call(line.method, params: line.params)))
            } catch {
                outcomes.append(.failure(error))
            }
        }
        return outcomes
    }
}

/// A pipe to read lines from.
private final class InputPipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        for end in ends { #expect(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    func write(_ text: String) {
        #expect(DescriptorWriter.write(Array(text.utf8), to: writeEnd) == nil)
    }

    /// Ends the input. A process that another test starts has a copy of the descriptor for a moment, so closing it may
    /// not end the input at once.
    func finish() {
        close(writeEnd)
        var descriptor = pollfd(fd: readEnd, events: 0, revents: 0)
        #expect(poll(&descriptor, 1, 50_000) == 1)
    }

    /// Call it when nothing reads any more, not in `deinit`, which may come earlier.
    func closeReadEnd() { close(readEnd) }
}

private final class Collected: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func append(_ line: [UInt8]) { state.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
}
