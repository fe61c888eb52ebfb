// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A connector with several endpoints. It prefers endpoints that have worked.
///
/// ```swift
/// let connector = RankedConnector([
///     WebSocketConnector(to: "wss://primary.example/rpc"), WebSocketConnector(to: "wss://secondary.example/rpc"),
/// ])
/// let client = JSONRPCClient(connector: connector, reconnect: .always)
/// ```
///
/// Each attempt of a client tries the endpoints one after the other until one connects. Endpoints with fewer failures
/// in a row come first; the order of the program decides between equals. A failure is an attempt that failed, or a
/// connection that the peer or the network ended before it was stable. An endpoint's failures are forgotten when a
/// connection was stable, or after a time, so a client returns to the first endpoint with its next connection.
///
/// The client's ``ReconnectPolicy`` waits only when all endpoints have failed. Clients that share a connector also
/// share its record of failures.
public final class RankedConnector: MessageConnector {
    private let connectors: [any MessageConnector]
    private let stablePeriod: Duration
    private let clock: any SessionClock
    private let ranking: Mutex<EndpointRanking>

    /// Makes a connector.
    ///
    /// - Parameters:
    ///   - connectors: The connectors of the endpoints, the preferred one first.
    ///   - stablePeriod: The time after which a connection counts as stable. The default is 10 seconds, as in
    ///     ``ReconnectPolicy/stablePeriod``.
    ///   - memory: The time after an endpoint's last failure at which its failures are forgotten. The default is 5
    ///     minutes.
    ///   - clock: The clock of both times. The default is `ContinuousClock`.
    public init(
        _ connectors: [any MessageConnector], stablePeriod: Duration = .seconds(10),
        memory: Duration = .seconds(300), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.connectors = connectors
        self.stablePeriod = stablePeriod
        self.clock = anchored(clock)
        ranking = Mutex(EndpointRanking(count: connectors.count, memory: memory))
    }

    /// Makes a connection to the first endpoint that can be reached. A client calls this method.
    ///
    /// - Throws: An ``RankedConnector/EndpointsError`` if no endpoint can be reached; a `CancellationError`.
    public func connect(receiver: any MessageReceiver) async throws {
        let now = clock.now
        var error = RankedConnector.EndpointsError(failures: [], endpoints: [])
        for index in ranking.withLock({ $0.order(now: now) }) {
            do {
                return try await connectors[index].connect(receiver: observed(receiver, of: index))
            } catch let cancellation as CancellationError {
                throw cancellation
            } catch let failure {
                try Task.checkCancellation()
                let now = clock.now
                ranking.withLock { $0.failed(index, now: now) }
                error.failures.append(failure)
                error.endpoints.append(name(of: index))
            }
        }
        throw error
    }

    /// The description of a connector, if it has one of its own.
    private func name(of index: Int) -> String {
        (connectors[index] as? any CustomStringConvertible)?.description ?? "endpoint \(index + 1)"
    }

    private func observed(_ receiver: any MessageReceiver, of index: Int) -> any MessageReceiver {
        RankedReceiver(base: receiver, clock: clock) { [weak self, stablePeriod, clock] duration, closure in
            let now = clock.now
            self?.ranking.withLock { ranking in
                if duration >= stablePeriod {
                    ranking.lasted(index)
                } else if closure.initiator != .local {
                    ranking.failed(index, now: now)
                }
            }
        }
    }
}

extension RankedConnector {
    /// The error of a ``RankedConnector`` that has reached no endpoint.
    public struct EndpointsError: ConnectError, CustomStringConvertible {
        /// The errors of the endpoints, in the order of the attempts. It is empty if there are no endpoints.
        public internal(set) var failures: [any Error]
        /// The endpoints in the same order: the descriptions of their connectors, such as `ws://primary.example`. A
        /// connector that is not `CustomStringConvertible` is named by its place in the program's list, such as
        /// `endpoint 2`.
        public internal(set) var endpoints: [String]

        /// Whether another attempt may reach one of the endpoints.
        public var isRetryable: Bool { failures.contains { ($0 as? any ConnectError)?.isRetryable ?? false } }

        /// The shortest time that an endpoint asks clients to wait; `nil` if another attempt may reach an endpoint that
        /// does not ask.
        public var retryAfter: Duration? {
            let retryable = failures.compactMap { $0 as? any ConnectError }.filter(\.isRetryable)
            let times = retryable.compactMap(\.retryAfter)
            return times.count == retryable.count ? times.min() : nil
        }

        /// The endpoints and their errors.
        public var description: String {
            failures.isEmpty
                ? "There are no endpoints."
                : "No endpoint could be reached: "
                    + zip(endpoints, failures).map { "\($0): \($1)" }.joined(separator: "; ")
        }
    }
}

/// Reports how long a connection lasted.
private final class RankedReceiver: MessageReceiver {
    private let base: any MessageReceiver
    private let clock: any SessionClock
    private let ended: @Sendable (Duration, TransportClosure) -> Void
    /// In nanoseconds of the clock. The calls of a receiver come from one thread at a time.
    private let openedAt = Atomic<Int64>(0)

    init(
        base: any MessageReceiver, clock: any SessionClock,
        ended: @escaping @Sendable (Duration, TransportClosure) -> Void
    ) {
        self.base = base
        self.clock = clock
        self.ended = ended
    }

    func transportOpened(_ transport: any MessageTransport) {
        openedAt.store(clock.now.nanoseconds, ordering: .relaxed)
        base.transportOpened(transport)
    }

    func transportClosed(_ closure: TransportClosure) {
        let opened = SessionTime(nanoseconds: openedAt.load(ordering: .relaxed))
        ended(clock.now.duration(since: opened), closure)
        base.transportClosed(closure)
    }

    func readBegan() { base.readBegan() }

    func readEnded() { base.readEnded() }

    func messageReceived(_ message: InboundMessage) { base.messageReceived(message) }

    func outboxDrained() { base.outboxDrained() }

    func roundTripMeasured(_ duration: Duration) { base.roundTripMeasured(duration) }
}

/// The order in which endpoints are tried. It reads no clock.
struct EndpointRanking: Sendable {
    private struct Record {
        /// The number of failures in a row.
        var failures = 0
        var lastFailure = SessionTime.zero
    }

    /// The time after which the failures of an endpoint are forgotten.
    let memory: Duration
    private var records: [Record]

    init(count: Int, memory: Duration) {
        self.memory = memory
        records = Array(repeating: Record(), count: count)
    }

    /// Returns the indices of all endpoints, the best first: by the number of failures in a row, then in the order of
    /// the program.
    func order(now: SessionTime) -> [Int] {
        let failures = records.map { record in
            now.duration(since: record.lastFailure) < memory ? record.failures : 0
        }
        return records.indices.sorted { (failures[$0], $0) < (failures[$1], $1) }
    }

    /// Notes an attempt that failed, or a connection that was not stable.
    mutating func failed(_ index: Int, now: SessionTime) {
        if now.duration(since: records[index].lastFailure) >= memory { records[index].failures = 0 }
        records[index].failures += 1
        records[index].lastFailure = now
    }

    mutating func lasted(_ index: Int) { records[index].failures = 0 }
}
