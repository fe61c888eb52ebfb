// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import Synchronization
public import WireJSON

/// A connection with calls and notifications in both directions, from the opening of its transport to the closing.
///
/// Both ends are equal, so clients and servers use the same type. A closed session cannot be opened again. The
/// transport keeps an open session alive; releasing the session does not close it.
///
/// ```swift
/// let session = DuplexSession()
/// try await connector.connect(receiver: session.receiver)
/// let sum: Int = try await session.call("add", params: [1, 2])
/// await session.close()
/// ```
public final class DuplexSession: Sendable {
    let driver: SessionDriver

    /// Makes a session that waits for its transport.
    public convenience init(configuration: SessionConfiguration = SessionConfiguration()) {
        self.init(
            SessionDriver(configuration: configuration, endpoint: EndpointState(configuration: configuration)))
    }

    init(_ driver: SessionDriver) { self.driver = driver }

    /// The receiver of messages from the transport. Pass it to one transport, once.
    public var receiver: any MessageReceiver { driver }

    /// The options of the session.
    public var configuration: SessionConfiguration { driver.configuration }

    /// The current state.
    public var state: DuplexSession.State { driver.phase }

    /// A new stream of the session's events, from now on.
    public var events: SessionEvent.Stream { driver.endpoint.events.subscribe() }

    /// The reason for the end of the session; `nil` before its end.
    public var closure: DuplexSession.Closure? { driver.state.withLock { $0.machine.closure } }

    /// The number of calls that have begun, and the number of calls that have ended. Both are equal when the session is
    /// closed.
    public var callCounts: (issued: UInt64, settled: UInt64) {
        driver.state.withLock { ($0.machine.issued, $0.machine.settled) }
    }

    /// The number of messages with each irregularity that ``SessionConfiguration/strictness`` reports.
    ///
    /// It includes messages without an event: repeated deviations of style, and late responses that the protocol
    /// requires (``CancellationNotice/cancelRequest``).
    public var irregularityCounts: [Irregularity: Int] { driver.record.withLock { $0.irregularities.counts } }

    /// The number of calls in flight, without those that wait in the queue.
    public var callsInFlight: Int { driver.state.withLock { $0.machine.inFlight } }

    /// The number of bytes that wait to be sent.
    public var queuedByteCount: Int { driver.state.withLock { $0.outbox.transport }?.queuedByteCount ?? 0 }

    /// The distribution of the session's round-trip times, measured with liveness probes: the PINGs of a WebSocket.
    public var roundTrips: RoundTripTimes { driver.record.withLock { $0.roundTrips } }

    /// Closes the session gracefully.
    ///
    /// The session accepts no new calls. Calls in flight, including the peer's, have
    /// ``SessionConfiguration/drainTimeout`` to end. Then the closing handshake has
    /// ``SessionConfiguration/closeTimeout``. When the function returns, the session is closed and every call has
    /// ended.
    ///
    /// If the task is cancelled, the session does not wait for calls in flight, and waits at most 500 ms for the
    /// closing handshake.
    ///
    /// - Parameters:
    ///   - code: The close code (RFC 6455 §7.4). The default is 1000, a normal closure.
    ///   - reason: The reason that the peer gets. The default is none.
    ///   - drain: The time for calls in flight. With zero, the session does not wait for them. The default is
    ///     ``SessionConfiguration/drainTimeout``.
    public func close(code: UInt16 = 1000, reason: String = "", drain: Duration? = nil) async {
        let configuration = driver.configuration
        let request = CloseRequest(code: code, reason: reason, deadline: configuration.closeTimeout)
        await driver.close(request, drain: drain ?? configuration.drainTimeout)
    }

    /// Closes the session immediately. It waits neither for calls in flight nor for the peer, and returns at once.
    /// Calls in flight fail with the code `closed` when the transport has closed the connection. ``closed()`` waits for
    /// that.
    ///
    /// The peer gets the close code and the reason if the transport can send them without waiting. A graceful close in
    /// progress ends at once, too, with its own code and reason.
    ///
    /// - Parameters:
    ///   - code: The close code (RFC 6455 §7.4). The default is 1000, a normal closure.
    ///   - reason: The reason that the peer gets. The default is none.
    public func closeNow(code: UInt16 = 1000, reason: String = "") { driver.closeNow(code: code, reason: reason) }

    /// Waits until either side has closed the session. If the task is cancelled, it returns and the session stays open.
    public func closed() async { await driver.untilClosedOrCancelled() }
}

extension DuplexSession: JSONRPCCaller {
    public func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        guard driver.interceptsNothing else {
            return try await driver.intercept(
                call: OutboundCall(method: method, params: params, timeout: timeout, options: options))
        }
        return try await driver.call(method, params: params, timeout: timeout, options: options)
    }

    public func _callRaw<Params: Encodable & Sendable>(
        _ method: String, encoding params: Params, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        guard driver.interceptsNothing else {
            return try await callRaw(method, params: try encode(params, method), timeout: timeout, options: options)
        }
        return try await driver.call(method, encoding: params, timeout: timeout, options: options)
    }

    public func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        guard !driver.interceptsNothing else {
            return try await driver.notify(method, params: params, options: options)
        }
        try await driver.intercept(
            notification: OutboundCall(method: method, params: params, timeout: .none, options: options))
    }

    public func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await collectedOutcomes(of: entries, timeout: timeout)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try Task.checkCancellation()
        guard !entries.isEmpty else { return }
        if driver.interceptsNothing {
            try await driver.send(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
        } else {
            try await driver.intercept(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
        }
    }
}
