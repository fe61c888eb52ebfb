// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import Synchronization
import TestSupport
import TestTurns
import Testing
import WebSocket

/// aria2 is killed with SIGKILL and restarted, ten times, while many calls are made.
@Suite(.serialized, .withEachEngine, .inTurn(within: .seconds(120)))
struct Aria2RestartTests {
    private static let restarts = 10
    private static let callers = 8

    private struct Counts {
        var begun = 0
        var answered = 0
        /// Calls whose outcome is unknown.
        var unknown = 0
        var isOver = false

        /// Returns the number of the next call; `nil` if there are no more.
        mutating func next() -> Int? {
            guard !isOver else { return nil }
            begun += 1
            return begun
        }
    }

    private final class CallLog: Sendable {
        let counts = Mutex(Counts())
    }

    @Test func callsAndStreamsSurviveAKilledServer() async throws {
        let sessions = EventLog<DuplexSession>()
        let gaps = EventLog<NotificationGap>()
        let log = CallLog()
        try await withTemporaryDirectory { downloads in
            let port = try LoopbackPort.reserve()
            var aria2 = try await Aria2.start(port: port, downloads: downloads)
            let client = try await client(port: port, sessions)
            let starts = client.notifications("aria2.onDownloadStart", as: [Aria2DownloadTests.Download].self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.callers { group.addTask { try await makeCalls(over: client, log) } }
                var elements = starts.makeAsyncIterator()
                for restart in 1...Self.restarts {
                    try await expectDownload(over: client, &elements)
                    let begun = log.counts.withLock { $0.begun }
                    #expect(await untilTrue { log.counts.withLock { $0.begun } >= begun + 20 })
                    aria2.signal(SIGKILL)
                    #expect(try await aria2.exitStatus() == -SIGKILL)
                    aria2 = try await Aria2.start(port: port, downloads: downloads)
                    let gap = try await elements.next()
                    #expect(gap == .gap(NotificationGap(reason: .reconnected, count: nil)), "restart \(restart)")
                    if case .gap(let gap) = gap { gaps.record(gap) }
                }
                try await expectDownload(over: client, &elements)
                log.counts.withLock { $0.isOver = true }
                try await group.waitForAll()
            }
            await client.close()
            await aria2.stop()
        }
        expectTruth(log.counts.withLock { $0 }, sessions.elements, gaps: gaps.elements.count)
    }

    private func client(port: Int, _ sessions: EventLog<DuplexSession>) async throws -> JSONRPCClient {
        var webSocket = WebSocketConfiguration.tested
        webSocket.proxy = .none
        webSocket.connectTimeout = .seconds(50)
        var configuration = SessionConfiguration()
        configuration.onConnect = { sessions.record($0) }
        var reconnect = ReconnectPolicy.always
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .milliseconds(5), maximum: .milliseconds(50))
        reconnect.maximumRepetitions = .max
        return try await JSONRPCClient.connect(
            to: "ws://127.0.0.1:\(port)/jsonrpc", webSocket: webSocket, configuration: configuration,
            reconnect: reconnect)
    }

    /// Starts a download that fails soon, and waits for its notification.
    private func expectDownload(
        over client: JSONRPCClient, _ elements: inout NotificationStream<[Aria2DownloadTests.Download]>.AsyncIterator
    ) async throws {
        let gid: String = try await client.call("aria2.addUri", params: [["http://127.0.0.1:1/nothing"]])
        #expect(try await elements.next() == .value([Aria2DownloadTests.Download(gid: gid)]))
    }

    private func makeCalls(over client: JSONRPCClient, _ log: CallLog) async throws {
        while let number = log.counts.withLock({ $0.next() }) {
            let options = CallOptions(extraMembers: ExtraMembers(), isIdempotent: number.isMultiple(of: 2))
            do {
                let version: Aria2Version = try await client.call("aria2.getVersion", options: options)
                #expect(version.version.hasPrefix("1."))
                log.counts.withLock { $0.answered += 1 }
            } catch let error as ClientError {
                #expect(!options.isIdempotent)
                #expect(error.code == .connectionLost && error.delivery == .outcomeUnknown, "\(error)")
                log.counts.withLock { $0.unknown += 1 }
            }
        }
    }

    private func expectTruth(_ counts: Counts, _ sessions: [DuplexSession], gaps: Int) {
        print("aria2 was killed \(Self.restarts) times: \(counts), \(sessions.count) connections, \(gaps) gaps")
        #expect(counts.begun == counts.answered + counts.unknown)
        #expect(gaps == Self.restarts)
        #expect(sessions.count == Self.restarts + 1)
        for session in sessions { #expect(session.callCounts.issued == session.callCounts.settled) }
    }
}
