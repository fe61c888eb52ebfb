// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import Logging
import SessionTestSupport
import Synchronization
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct WireTraceTests {
    private let log = EventLog<WireTraceEvent>()

    private func lines(_ events: [WireTraceEvent]) -> [String] {
        events.map { event in
            let mark =
                switch event.direction {
                case .sent: "-->"
                case .received: "<--"
                case .withdrawn: "withdrawn"
                case .missed: "missed"
                }
            return "\(mark) \(event.text)"
        }
    }

    @Test func messagesOfBothDirectionsAreTracedInTheirOrder() async throws {
        let wire = await Wire(.with { $0.diagnostics.trace = { [log] in log.record($0) } })
        wire.session.handle("peer") { "served" }
        async let answer: Int = wire.session.call("m", params: [1], timeout: nil)
        let request = try await wire.peer.expectRequest("m")
        try wire.peer.reply(to: request, result: 5)
        #expect(try await answer == 5)
        try await wire.session.notify("n")
        try wire.peer.request("peer", id: "p")
        try await wire.peer.expectNotification("n")
        try await wire.peer.expectResponse(to: "p")
        let events = await log.wait(count: 5)
        #expect(
            lines(events) == [
                #"--> {"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#,
                #"<-- {"jsonrpc":"2.0","id":1,"result":5}"#,
                #"--> {"jsonrpc":"2.0","method":"n"}"#,
                #"<-- {"jsonrpc":"2.0","id":"p","method":"peer"}"#,
                #"--> {"jsonrpc":"2.0","id":"p","result":"served"}"#,
            ])
        #expect(events.map(\.time) == events.map(\.time).sorted())
        await wire.session.close()
    }

    @Test func batchesNoticesAndWithdrawalsAreTraced() async throws {
        let wire = await Wire(
            .with {
                $0.calls.cancellationNotice = .cancelRequest
                $0.diagnostics.trace = { [log] in log.record($0) }
            })
        let batch = Task {
            try await wire.session.batch([MethodCall("a", as: Int.self), MethodCall("b", as: Int.self)])
        }
        try await wire.peer.expectBatch(count: 2)
        batch.cancel()
        _ = await batch.result
        for id in [1, 2] as [JSONValue] {
            try await wire.peer.expectNotification("$/cancelRequest", params: ["id": id])
        }
        wire.near.holdOutbox()
        let call = Task { try await wire.session.callRaw("m") }
        try await wire.untilInFlight(1)
        call.cancel()
        _ = await call.result
        #expect(
            lines(await log.wait(count: 5)) == [
                #"--> [{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]"#,
                #"--> {"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#,
                #"--> {"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"#,
                #"--> {"jsonrpc":"2.0","id":3,"method":"m"}"#,
                "withdrawn 3",
            ])
        wire.near.releaseOutbox()
        await wire.session.close()
    }

    /// If a lock were held, the closure would wait for itself.
    @Test func theClosureMayUseTheSession() async throws {
        let held = Held()
        let wire = await Wire(
            .with {
                $0.diagnostics.trace = { [log] event in
                    log.record(event)
                    guard let session = held.session, event.direction == .sent else { return }
                    _ = session.callsInFlight
                    if event.text.contains(#""m""#) { Task { try? await session.notify("from the trace") } }
                }
            })
        held.session = wire.session
        async let answer: Int = wire.session.call("m")
        let request = try await wire.peer.expectRequest("m")
        try await wire.peer.expectNotification("from the trace")
        try wire.peer.reply(to: request, result: 5)
        #expect(try await answer == 5)
        await wire.session.close()
        held.session = nil
    }

    @Test func aRequestComesBeforeItsResponseWithManyCallers() async throws {
        let server = DuplexSession()
        server.handle("echo") { (params: [Int]) in params }
        let client = DuplexSession(configuration: .with { $0.diagnostics.trace = { [log] in log.record($0) } })
        try await InMemoryConnector { server.receiver }.connect(receiver: client.receiver)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let echo: [Int] = try await client.call("echo", params: [number])
                    #expect(echo == [number])
                }
            }
            try await group.waitForAll()
        }
        await client.close()
        var sent: [JSONValue] = []
        var answered: [JSONValue] = []
        for event in log.elements {
            let id = try #require(JSONValue(parsing: event.text)["id"])
            if event.direction == .sent {
                sent.append(id)
            } else {
                #expect(sent.contains(id))
                answered.append(id)
            }
        }
        #expect(sent == (1...500).map { .number(JSONNumber(Int64($0))) })
        #expect(answered.count == 500)
    }

    @Test func aDescriptionIsOneLine() {
        let bytes = Array("{\"a\":\"\u{1B}[31m\"\n}".utf8)
        #expect(
            WireTraceEvent(direction: .received, bytes: bytes, time: .milliseconds(12_007)).description
                == #"12.007 s <-- {"a":"\u{1B}[31m"\n}"#)
        #expect(WireTraceEvent(direction: .sent, bytes: [0x31], time: .zero).description == "0.000 s --> 1")
    }

    // MARK: The log

    @Test func theLogGetsMessagesAtLevelTraceAsRedacted() async throws {
        let lines = EventLog<String>()
        let handler = RecordingLogHandler(lines: lines)
        var logger = Logger(label: "test", factory: { _ in handler })
        logger.logLevel = .trace
        let wire = await Wire(
            .with {
                $0.diagnostics.logger = logger
                $0.diagnostics.logRedaction = { event in
                    event.text.contains("secret") ? nil : event.text.replacing("token", with: "***")
                }
            })
        for method in ["token", "secret", "last"] { try await wire.session.notify(method) }
        #expect(
            await lines.wait(count: 2) == [
                #"trace {"jsonrpc":"2.0","method":"***"} sent"#, #"trace {"jsonrpc":"2.0","method":"last"} sent"#,
            ])
        await wire.session.close()
    }

    @Test func theLogGetsNoMessagesAboveLevelTrace() async throws {
        let lines = EventLog<String>()
        let handler = RecordingLogHandler(lines: lines)
        var logger = Logger(label: "test", factory: { _ in handler })
        logger.logLevel = .debug
        let wire = await Wire(.with { $0.diagnostics.logger = logger })
        try await wire.session.notify("m")
        await wire.session.close()
        #expect(lines.elements.isEmpty)
    }
}

/// The session that a configuration's closure uses, which is made from the configuration.
private final class Held: Sendable {
    private let stored = Mutex<DuplexSession?>(nil)

    var session: DuplexSession? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}

private struct RecordingLogHandler: LogHandler {
    let lines: EventLog<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(lines: EventLog<String>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let direction = event.metadata?["jsonrpc.direction"].map { "\($0)" } ?? ""
        lines.record("\(event.level) \(event.message) \(direction)")
    }
}
