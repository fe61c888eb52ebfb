// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import Testing
import WebSocket

/// What the module leaves alone, and what it gives back. Serialised: it counts the whole process's things.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ResourceTests {
    @Test func theDispositionOfSIGPIPEIsUntouched() async throws {
        var before = sigaction()
        sigaction(SIGPIPE, nil, &before)
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler()) }
        try await WebSocketConnection.connect(to: listener.url, handler: RecordingHandler(), on: loops)
        await loops.shutdown()
        var after = sigaction()
        sigaction(SIGPIPE, nil, &after)
        let (first, second) = (before.__sigaction_handler.sa_handler, after.__sigaction_handler.sa_handler)
        #expect(unsafeBitCast(first, to: Int.self) == unsafeBitCast(second, to: Int.self))
    }

    @Test func signalsAreBlockedInServiceThreads() async throws {
        let loops = WebSocketEventLoops()
        let masks = EventLog<[Bool]>()
        let handler = RecordingHandler(onOpen: { _ in
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            masks.record([SIGPIPE, SIGINT, SIGTERM, SIGUSR1].map { sigismember(&mask, $0) == 1 })
        })
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(handler) }
        try await WebSocketConnection.connect(to: listener.url, handler: RecordingHandler(), on: loops)
        #expect(await masks.wait(count: 1) == [[true, true, true, true]])
        await loops.shutdown()
    }

    @Test func eventLoopsStartAndStopManyTimes() async throws {
        for _ in 0..<30 {
            let loops = WebSocketEventLoops(count: 2)
            let handlers = [RecordingHandler(), RecordingHandler()]
            let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
            for handler in handlers {
                let connection = try await WebSocketConnection.connect(to: listener.url, handler: handler, on: loops)
                try connection.send(text: "hello")
            }
            for handler in handlers { #expect(await handler.events.first { $0.text != nil }?.text == "hello") }
            await loops.shutdown()
            for handler in handlers { #expect(handler.events.elements.last?.closure != nil) }
        }
    }

    @Test func unusedEventLoopsShutDownAtOnce() async {
        await WebSocketEventLoops(count: 3).shutdown()
    }

    @Test func connectionsInFlightAtShutdownAllEnd() async throws {
        let loops = WebSocketEventLoops(count: 2)
        let others = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: others) { _ in .accept(RecordingHandler()) }
        let handlers = (0..<20).map { _ in RecordingHandler() }
        await withTaskGroup(of: Void.self) { group in
            for handler in handlers {
                group.addTask {
                    _ = try? await WebSocketConnection.connect(to: listener.url, handler: handler, on: loops)
                }
            }
            await loops.shutdown()
        }
        // Each was opened and closed, or neither.
        for handler in handlers {
            let events = handler.events.elements
            #expect(events.isEmpty || events.last?.closure != nil)
        }
        await others.shutdown()
    }
}
