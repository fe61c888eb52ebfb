// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Resources that the module leaves alone or frees. Tests of a whole process run in a process without other tests.
@Suite(.serialized, .inTurn(within: .seconds(120)))
struct ResourceTests {
    @Test(.startsProcess) func theDispositionOfSIGPIPEIsUntouched() async {
        await #expect(processExitsWith: .success) {
            let before = Process.dispositionOfSIGPIPE
            for _ in 0..<3 {
                let loops = WebSocketEventLoops()
                let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler()) }
                try await connect(to: listener.url, handler: RecordingHandler(), on: loops)
                await loops.shutDown()
            }
            guard before == Process.dispositionOfSIGPIPE else { exit(EXIT_FAILURE) }
        }
    }

    @Test(.startsProcess) func connectionsGiveTheirDescriptorsBack() async {
        await #expect(processExitsWith: .success) {
            let loops = WebSocketEventLoops(count: 2)
            let accepted = EventLog<RecordingHandler>()
            let listener = try await WebSocketListener.listen(on: loops) { _ in
                let handler = RecordingHandler.echo()
                accepted.record(handler)
                return .accept(handler)
            }
            func connectAndClose(_ times: Int) async throws {
                for _ in 0..<times {
                    let handler = RecordingHandler()
                    let connection = try await connect(
                        to: listener.url, handler: handler, on: loops)
                    try connection.send(text: "hello")
                    _ = await handler.events.first { $0.text != nil }
                    connection.close()
                    _ = await handler.closure()
                }
                for handler in accepted.elements { _ = await handler.closure() }
            }
            // Resources that are opened once and stay open exist after these.
            try await connectAndClose(20)
            let before = try Process.count(of: "fd")
            try await connectAndClose(300)
            guard try await Process.settles("fd", to: before + 5) else { exit(EXIT_FAILURE) }
            await loops.shutDown()
        }
    }

    @Test(.startsProcess) func eventLoopsGiveTheirThreadsAndDescriptorsBack() async {
        await #expect(processExitsWith: .success) {
            func startAndStop(_ times: Int) async throws {
                for _ in 0..<times {
                    let loops = WebSocketEventLoops(count: 2)
                    let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler()) }
                    for _ in 0..<2 {
                        try await connect(to: listener.url, handler: RecordingHandler(), on: loops)
                    }
                    await loops.shutDown()
                }
            }
            try await startAndStop(3)
            let (threads, descriptors) = try (Process.count(of: "task"), Process.count(of: "fd"))
            try await startAndStop(40)
            // 80 loops have ended; the runtime's own pool may have grown by a thread or two.
            guard try await Process.settles("task", to: threads + 8) else { exit(EXIT_FAILURE) }
            guard try await Process.settles("fd", to: descriptors + 2) else { exit(EXIT_FAILURE) }
        }
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
        try await connect(to: listener.url, handler: RecordingHandler(), on: loops)
        #expect(await masks.wait(count: 1) == [[true, true, true, true]])
        await loops.shutDown()
    }

    @Test func eventLoopsStartAndStopManyTimes() async throws {
        for _ in 0..<30 {
            let loops = WebSocketEventLoops(count: 2)
            let handlers = [RecordingHandler(), RecordingHandler()]
            let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
            for handler in handlers {
                let connection = try await connect(to: listener.url, handler: handler, on: loops)
                try connection.send(text: "hello")
            }
            for handler in handlers { #expect(await handler.events.first { $0.text != nil }?.text == "hello") }
            await loops.shutDown()
            for handler in handlers { #expect(handler.events.elements.last?.closure != nil) }
        }
    }

    /// One part concerns the first loop of a process, another an additional loop. A loop that ends leaves shared
    /// resources to the next one.
    @Test(.startsProcess) func aLoopThatCouldNotStartIsStartedByTheNextUse() async {
        await #expect(processExitsWith: .success) {
            var allLoops: [WebSocketEventLoops] = []
            for _ in 0..<2 {
                let loops = WebSocketEventLoops()
                allLoops.append(loops)
                let limit = try Process.forbidDescriptors()
                do {
                    _ = try await WebSocketListener.listen(on: loops) { _ in .refuse(status: 500) }
                    exit(EXIT_FAILURE)
                } catch let error as WebSocketError {
                    guard error.code == .eventLoopsStopped, error.systemError == EMFILE else { exit(EXIT_FAILURE) }
                }
                try Process.setDescriptorLimit(limit)
                let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
                let handler = RecordingHandler()
                let connection = try await connect(to: listener.url, handler: handler, on: loops)
                try connection.send(text: "hello")
                guard await handler.events.first(where: { $0.text != nil })?.text == "hello" else { exit(EXIT_FAILURE) }
            }
            for loops in allLoops { await loops.shutDown() }
        }
    }

    /// The descriptor table of lws has the size of the limit when its context was made. Connections are not in it.
    @Test(.startsProcess) func aDescriptorBeyondTheTableOfLWSIsServed() async {
        await #expect(processExitsWith: .success) {
            let limit = try Process.descriptorLimit()
            try Process.setDescriptorLimit(64)
            let loops = WebSocketEventLoops()
            let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
            try Process.setDescriptorLimit(limit)
            let taken = (0..<64).map { _ in dup(0) }
            let handler = RecordingHandler()
            let connection = try await connect(to: listener.url, handler: handler, on: loops)
            try connection.send(text: "hello")
            guard await handler.events.first(where: { $0.text != nil })?.text == "hello" else { exit(EXIT_FAILURE) }
            for descriptor in taken { close(descriptor) }
            await loops.shutDown()
        }
    }

    @Test func unusedEventLoopsShutDownAtOnce() async {
        await WebSocketEventLoops(count: 3).shutDown()
    }

    @Test func connectionsInFlightAtShutdownAllEnd() async throws {
        let loops = WebSocketEventLoops(count: 2)
        let others = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: others) { _ in .accept(RecordingHandler()) }
        let handlers = (0..<20).map { _ in RecordingHandler() }
        await withTaskGroup(of: Void.self) { group in
            for handler in handlers {
                group.addTask {
                    _ = try? await connect(to: listener.url, handler: handler, on: loops)
                }
            }
            await loops.shutDown()
        }
        // Each connection was opened and closed, or neither.
        for handler in handlers {
            let events = handler.events.elements
            #expect(events.isEmpty || events.last?.closure != nil)
        }
        await others.shutDown()
    }
}

private enum Process {
    static var dispositionOfSIGPIPE: Int {
        var action = sigaction()
        sigaction(SIGPIPE, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    }

    /// The number of entries of a directory of this process in `/proc`: its threads or its descriptors.
    static func count(of name: String) throws -> Int {
        guard let directory = opendir("/proc/self/\(name)") else { throw RawSocketError.system(errno) }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count
    }

    /// Whether ``count(of:)`` falls to a limit. A handler gets the end before the socket is closed, and a thread ends
    /// after its loop. Nothing reports these events, so the test polls.
    static func settles(_ name: String, to limit: Int) async throws -> Bool {
        for _ in 0..<100_000 {
            if try count(of: name) <= limit { return true }
            await Task.yield()
        }
        return false
    }

    /// Makes the system refuse further descriptors. Returns the earlier limit.
    static func descriptorLimit() throws -> rlim_t {
        var limit = rlimit()
        guard getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw RawSocketError.system(errno)
        }
        return limit.rlim_cur
    }

    static func forbidDescriptors() throws -> rlim_t {
        let limit = try descriptorLimit()
        // The lowest of many, because other threads, such as Dispatch's, open files for a moment. Such a descriptor
        // would later be free below the limit.
        var free = Int32.max
        for _ in 0..<1000 {
            let next = dup(STDERR_FILENO)
            guard next >= 0 else { throw RawSocketError.system(errno) }
            close(next)
            free = min(free, next)
            sched_yield()
        }
        try setDescriptorLimit(rlim_t(free))
        return limit
    }

    static func setDescriptorLimit(_ count: rlim_t) throws {
        var limit = rlimit()
        guard getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw RawSocketError.system(errno)
        }
        limit.rlim_cur = count
        guard setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw RawSocketError.system(errno)
        }
    }
}
