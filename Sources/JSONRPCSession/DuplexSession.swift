// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import Synchronization
public import WireJSON

/// One connection's life: calls and notifications both ways, from when the transport opens to when it closes.
///
/// Both ends are alike, so clients and servers use the same type. It is one-shot: a closed session does not come
/// back. The transport keeps an open session alive; letting go of the session does not close it.
///
/// ```swift
/// let session = DuplexSession()
/// try await connector.connect(receiver: session.receiver)
/// let sum: Int = try await session.call("add", params: [1, 2])
/// await session.close()
/// ```
public final class DuplexSession: Sendable {
    let driver: SessionDriver

    /// Makes a session which waits for its transport.
    public convenience init(configuration: SessionConfiguration = SessionConfiguration()) {
        self.init(
            SessionDriver(configuration: configuration, parts: SessionParts(configuration: configuration)))
    }

    init(_ driver: SessionDriver) { self.driver = driver }

    /// Takes what comes from the session's transport: to be given to that, once.
    public var receiver: any MessageReceiver { driver }

    public var configuration: SessionConfiguration { driver.configuration }

    /// How far the session's life has come.
    public var state: SessionState {
        switch driver.phase {
        case .connecting: .connecting
        case .open: .open
        case .draining: .draining
        case .closing: .closing
        case .closed: .closed
        }
    }

    /// What happens beside the answers to calls, from now on.
    public var events: SessionEvents { driver.parts.events.subscribe() }

    /// How the session ended; nil while it has not.
    public var closure: SessionClosure? { driver.state.withLock { $0.closure } }

    /// How many calls have been begun, and how many of them have ended. When the session is closed, both are equal.
    public var callCounts: (issued: UInt64, settled: UInt64) {
        driver.state.withLock { ($0.machine.issued, $0.machine.settled) }
    }

    /// How many calls are in flight.
    public var callsInFlight: Int { driver.state.withLock { $0.machine.inFlight } }

    /// Closes the session: takes no more calls, lets those in flight end (both ways) for as long as
    /// ``SessionConfiguration/drainTime``, then performs the closing handshake for as long as
    /// ``SessionConfiguration/closingTime``. When it returns the session is closed and every call has ended.
    ///
    /// When the task is cancelled, calls in flight are not waited for.
    public func close(code: UInt16 = 1000, reason: String = "") async {
        await close(code: code, reason: reason, drain: driver.configuration.drainTime)
    }

    /// Closes the session, with a time of its own for calls in flight; zero to wait for none.
    public func close(code: UInt16 = 1000, reason: String = "", drain: Duration) async {
        let farewell = SessionDriver.Farewell(
            code: code, reason: reason, deadline: driver.configuration.closingTime)
        await driver.close(farewell, drain: drain)
    }

    /// Closes without waiting for anybody.
    func abandon() { driver.abandon() }

    /// Ends a session whose connection did not come about.
    func dismiss(_ error: ClientError) { driver.dismiss(error) }

    /// Why the connection is gone, when it was not closed from this side for a reason of our own.
    var loss: ClientError? { driver.loss }

    /// Returns when the session is closed, by whomever.
    public func closed() async { await driver.untilClosed() }
}

extension DuplexSession: JSONRPCCaller {
    public func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        guard driver.interceptsNothing else {
            let call = OutboundCall(method: method, params: params, timeout: timeout, options: options)
            let next = NextInterceptor { [driver] in try await driver.call($0) }
            return try await next.behind(driver.configuration.interceptors)(call)
        }
        let tail = try driver.requestTail(method: method, params: params, options: options)
        return try await driver.call(
            method, tail: tail, timeout: timeout.duration(configured: driver.configuration.callTimeout))
    }

    public func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        let notification = OutboundCall(method: method, params: params, timeout: .none, options: options)
        guard !driver.interceptsNothing else { return try await driver.notify(notification) }
        let next = NextInterceptor { [driver] in try await driver.notify($0) }
        try await next.behind(driver.configuration.interceptors)(notification)
    }

    public func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await driver.batch(entries, timeout: timeout)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try await driver.batch(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
    }
}
