// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60)), .startsProcess)
struct RunUntilInterruptedTests {
    @Test(arguments: [SIGINT, SIGTERM]) func theFirstSignalCancelsTheOperation(number: Int32) async {
        await #expect(processExitsWith: .success) { [number] in
            let signal = await runUntilInterrupted {
                kill(getpid(), number)
                await untilCancelled()
            }
            #expect(signal == number)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func theSecondSignalEndsTheProcess(number: Int32) async {
        // This also holds if it is the other signal, and the operation does not end.
        await #expect(processExitsWith: .signal(number)) { [number] in
            await runUntilInterrupted {
                kill(getpid(), number == SIGINT ? SIGTERM : SIGINT)
                await untilCancelled()
                kill(getpid(), number)
                while true { pause() }
            }
        }
    }

    @Test func afterwardsASignalIsHandledAsBefore() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            // First a handler of the program, then the default.
            signal(SIGTERM) { _ in _ = write(-1, nil, 0) }
            signal(SIGINT, SIG_DFL)
            await runUntilInterrupted {
                kill(getpid(), SIGINT)
                await untilCancelled()
            }
            kill(getpid(), SIGTERM)
            kill(getpid(), SIGINT)
            while true { pause() }
        }
    }

    @Test func itReturnsWhenTheOperationEnds() async throws {
        await #expect(processExitsWith: .success) {
            let signal = await runUntilInterrupted {}
            #expect(signal == nil)
            struct Broken: Error {}
            await #expect(throws: Broken.self) { try await runUntilInterrupted { throw Broken() } }
            // The next signal interrupts the next operation.
            let next = await runUntilInterrupted {
                kill(getpid(), SIGTERM)
                await untilCancelled()
            }
            #expect(next == SIGTERM)
        }
    }

    @Test func afterASignalOnlyOtherErrorsThanCancellationAreThrown() async {
        await #expect(processExitsWith: .success) {
            let signal = try await runUntilInterrupted {
                kill(getpid(), SIGINT)
                await untilCancelled()
                try Task.checkCancellation()
            }
            #expect(signal == SIGINT)
            let error = await #expect(throws: ClientError.self) {
                try await runUntilInterrupted {
                    kill(getpid(), SIGINT)
                    await untilCancelled()
                    throw ClientError(.connectionLost, "Lost.")
                }
            }
            #expect(error?.code == .connectionLost)
            await #expect(throws: CancellationError.self) {
                try await runUntilInterrupted { throw CancellationError() }
            }
        }
    }

    @Test func aSignalCancelsAllOperations() async {
        await #expect(processExitsWith: .success) {
            let (begun, first) = AsyncStream<Void>.makeStream()
            async let one = runUntilInterrupted {
                first.finish()
                await untilCancelled()
            }
            for await _ in begun {}
            let other = await runUntilInterrupted {
                kill(getpid(), SIGINT)
                await untilCancelled()
            }
            #expect(await one == SIGINT)
            #expect(other == SIGINT)
        }
    }

    @Test func cancellingTheCallerCancelsTheOperation() async {
        await #expect(processExitsWith: .success) {
            let task = Task { await runUntilInterrupted { await untilCancelled() } }
            task.cancel()
            #expect(await task.value == nil)
        }
    }

    /// swift-service-lifecycle creates its signal sources in this way.
    @Test func aSignalSourceOfTheOperationGetsItsSignal() async {
        await #expect(processExitsWith: .success) {
            let signal = await runUntilInterrupted {
                Glibc.signal(SIGTERM, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
                let (signals, continuation) = AsyncStream<Void>.makeStream()
                source.setEventHandler { continuation.finish() }
                source.setRegistrationHandler { kill(getpid(), SIGTERM) }
                source.activate()
                for await _ in signals {}
                source.cancel()
            }
            #expect(signal == nil)
        }
    }

    @Test func aClientLetsItsCallsEndAndCloses() async {
        await #expect(processExitsWith: .success) {
            let peer = ScriptedPeer()
            let client = JSONRPCClient(connector: peer.connector)
            try await client.connect()
            async let answer: Int = client.call("slow")
            let request = try await peer.expectRequest("slow")
            async let running = runUntilInterrupted {
                kill(getpid(), SIGTERM)
                try await client.run()
            }
            for await state in client.states where state == .closing { break }
            try peer.reply(to: request, result: 7)
            #expect(try await answer == 7)
            #expect(try await running == SIGTERM)
            #expect(client.state == .closed)
        }
    }
}
