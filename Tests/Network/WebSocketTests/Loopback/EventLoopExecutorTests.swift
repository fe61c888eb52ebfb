// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn(within: .seconds(60)))
struct EventLoopExecutorTests {
    /// The context, which belongs to one thread, shows where a task runs.
    private nonisolated func runsOnLoop() async -> Bool { LWSContext.current != nil }

    @Test func tasksRunOnTheLoopsThread() async throws {
        let loops = WebSocketEventLoops()
        #expect(await runsOnLoop() == false)
        let seen = await withTaskExecutorPreference(loops.executors[0]) {
            var seen = [await runsOnLoop()]
            await Task.yield()
            seen.append(await runsOnLoop())
            async let child = runsOnLoop()
            seen.append(await child)
            return seen
        }
        #expect(seen == [true, true, true])
        await loops.shutDown()
    }

    /// More tasks than run in one turn of the loop.
    @Test func manyTasksAllRun() async throws {
        let loops = WebSocketEventLoops()
        let count = 5000
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                group.addTask(executorPreference: loops.executors[0]) {
                    await Task.yield()
                    return number
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == count * (count - 1) / 2)
        await loops.shutDown()
    }

    /// The loop serves connections between the parts of a task that only yields.
    @Test func taskThatYieldsForeverLetsConnectionsLive() async throws {
        let loops = WebSocketEventLoops()
        let isDone = Atomic<Bool>(false)
        let busy = Task(executorPreference: loops.executors[0]) {
            while !isDone.load(ordering: .relaxed) { await Task.yield() }
        }
        // An error ends the other task, too.
        defer { isDone.store(true, ordering: .relaxed) }
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
        let handler = RecordingHandler()
        let connection = try await connect(to: listener.url, handler: handler, on: loops)
        try connection.send(text: "hi")
        #expect(await handler.events.first { $0.text != nil }?.text == "hi")
        isDone.store(true, ordering: .relaxed)
        await busy.value
        await loops.shutDown()
    }

    @Test func messagesSentOnTheLoopGoOut() async throws {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
        let handler = RecordingHandler()
        let connection = try await connect(to: listener.url, handler: handler, on: loops)
        try await withTaskExecutorPreference(loops.executors[0]) {
            for number in 0..<300 { try connection.send(text: "\(number)") }
        }
        let echoed = await handler.events.wait(count: 301).compactMap(\.text)
        #expect(echoed == (0..<300).map(String.init))
        await loops.shutDown()
    }

    /// Timers run before libwebsockets waits for sockets, each time for up to half a minute. Three such waits would
    /// exceed the time limit of this test.
    @Test func taskThatATimerResumesRunsAtOnce() async throws {
        let loops = WebSocketEventLoops()
        var configuration = WebSocketConfiguration()
        configuration.pingInterval = .milliseconds(20)
        configuration.pingTimeout = .milliseconds(20)
        for _ in 0..<3 {
            let peer = try RawPeer { socket in
                try socket.acceptUpgrade()
                _ = try? socket.readToEnd()
            }
            let handler = RecordingHandler()
            try await connect(
                to: "ws://127.0.0.1:\(peer.port)/", configuration: configuration, handler: handler, on: loops)
            let closure = await withTaskExecutorPreference(loops.executors[0]) { await handler.closure() }
            #expect(closure?.initiator == .failure)
            try await peer.outcome()
        }
        await loops.shutDown()
    }

    /// Listeners wait until an earlier one on their port has ended. They are resumed last in a turn of the loop.
    @Test func taskThatAListenerResumesRunsAtOnce() async throws {
        let loops = WebSocketEventLoops()
        try await withTaskExecutorPreference(loops.executors[0]) {
            var address = WebSocketListener.Address.loopback
            for _ in 0..<5 {
                let listener = try await WebSocketListener.listen(at: address, on: loops) { _ in .refuse(status: 404) }
                address = .host("127.0.0.1", port: listener.port)
                await listener.stop()
            }
        }
        await loops.shutDown()
    }

    @Test func tasksGoOnAfterTheShutdown() async throws {
        let loops = WebSocketEventLoops()
        let (started, go) = (EventLog<Int>(), EventLog<Int>())
        let task = Task(executorPreference: loops.executors[0]) {
            started.record(1)
            _ = await go.wait(count: 1)
            await Task.yield()
            return "done"
        }
        _ = await started.wait(count: 1)
        await loops.shutDown()
        go.record(1)
        #expect(await task.value == "done")
        let later = await withTaskExecutorPreference(loops.executors[0]) { await runsOnLoop() }
        #expect(later == false)
    }
}
