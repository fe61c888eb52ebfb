// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing
import WebSocket

/// A listener and the path of its Unix domain socket.
@Suite(.inTurn(within: .seconds(60)))
struct ListeningPathTests {
    private func listen(at path: String, on loops: WebSocketEventLoops) async throws -> WebSocketListener {
        try await WebSocketListener.listen(at: .unixSocket(path), on: loops) { _ in .accept(RecordingHandler.echo()) }
    }

    private func failure(at path: String, on loops: WebSocketEventLoops) async -> WebSocketError? {
        await #expect(throws: WebSocketError.self) { _ = try await listen(at: path, on: loops) }
    }

    private func expectEcho(at path: String, on loops: WebSocketEventLoops) async throws {
        let handler = RecordingHandler()
        let connection = try await connect(to: "ws+unix:\(path)", handler: handler, on: loops)
        try connection.send(text: "by path")
        #expect(await handler.events.first { $0.text != nil }?.text == "by path")
        connection.close()
        _ = await handler.closure()
    }

    private static func isListenedAt(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 || errno != ECONNREFUSED
            }
        }
    }

    private func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    @Test func aFileThatIsNoSocketIsLeftAlone() async throws {
        let loops = WebSocketEventLoops()
        try await withTemporaryDirectory { folder in
            let path = folder + "/notes"
            try Data("mine".utf8).write(to: URL(filePath: path))
            let error = await failure(at: path, on: loops)
            #expect(error?.code == .listenFailed && error?.systemError == EADDRINUSE)
            #expect(error?.message.contains("not a socket") == true)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
        }
        await loops.shutDown()
    }

    @Test(arguments: [true, false])
    func aPathThatSomebodyListensAtIsLeftToIt(onSameLoop: Bool) async throws {
        let loops = WebSocketEventLoops()
        let others = WebSocketEventLoops()
        try await withTemporaryDirectory { folder in
            let path = folder + "/socket"
            let listener = try await listen(at: path, on: loops)
            let error = await failure(at: path, on: onSameLoop ? loops : others)
            #expect(error?.code == .listenFailed && error?.systemError == EADDRINUSE)
            try await expectEcho(at: path, on: others)
            await listener.stop()
            #expect(!isThere(path))
        }
        await loops.shutDown()
        await others.shutDown()
    }

    @Test func aSocketThatNobodyListensAtIsReplaced() async throws {
        let loops = WebSocketEventLoops()
        try await withTemporaryDirectory { folder in
            let path = folder + "/socket"
            // It ends and leaves its path behind.
            let peer = try RawPeer(unixPath: path) { _ in }
            let handler = RecordingHandler()
            await #expect(throws: WebSocketError.self) {
                try await connect(to: "ws+unix:\(path)", handler: handler, on: loops)
            }
            try await peer.outcome()
            #expect(isThere(path))
            // A program that another test starts has a copy of the socket until it calls `exec`.
            try await yieldUntil("nobody listens at the path") { !Self.isListenedAt(path) }
            _ = try await listen(at: path, on: loops)
            try await expectEcho(at: path, on: loops)
        }
        await loops.shutDown()
    }

    @Test func stoppingLeavesAPathThatIsAnothersByNow() async throws {
        let loops = WebSocketEventLoops()
        let others = WebSocketEventLoops()
        try await withTemporaryDirectory { folder in
            let path = folder + "/socket"
            let first = try await listen(at: path, on: loops)
            #expect(unlink(path) == 0)
            let second = try await listen(at: path, on: others)
            await first.stop()
            try await expectEcho(at: path, on: loops)
            await second.stop()
            #expect(!isThere(path))
        }
        await loops.shutDown()
        await others.shutDown()
    }

    @Test func oneLoopListensAtManyPathsAndGivesThemAllUp() async throws {
        let loops = WebSocketEventLoops()
        let others = WebSocketEventLoops()
        try await withTemporaryDirectory { folder in
            let paths = (0..<4).map { folder + "/socket\($0)" }
            for path in paths { _ = try await listen(at: path, on: loops) }
            for path in paths { try await expectEcho(at: path, on: others) }
            await loops.shutDown()
            for path in paths { #expect(!isThere(path)) }
        }
        await others.shutDown()
    }

    @Test(arguments: ["", String(repeating: "p", count: 200), "a\0b", "/nowhere/at/all/socket"])
    func aPathThatCannotBeIsAnError(path: String) async throws {
        let loops = WebSocketEventLoops()
        #expect(await failure(at: path, on: loops)?.code == .listenFailed)
        await loops.shutDown()
    }
}
