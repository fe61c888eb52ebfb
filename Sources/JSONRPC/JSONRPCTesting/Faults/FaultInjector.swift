// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
import Synchronization

/// A maker of faults in the messages of connections, exactly repeatable by its seed.
///
/// ```swift
/// let faults = FaultInjector(
///     seed: 42,
///     rules: [
///         FaultRule(.drop, .inbound, message: 3),
///         FaultRule(.kill(.afterWriting), .outbound, message: 10, connection: 2),
///         FaultRule(.delay(.milliseconds(1)...(.milliseconds(20))), probability: 0.1),
///     ])
/// let client = JSONRPCClient(connector: faults.connector(over: peer.connector))
/// ```
///
/// At each message, the first rule that selects it makes its fault. The decision depends on the seed, the number of the
/// connection, the direction, and the number of the message alone, so the same messages get the same faults, whatever
/// the threads do in between. If a test fails, print the injector: ``description`` names the seed and the faults.
///
/// Delivery is reported as over a real connection: the session learns which messages were not sent. The transport can be
/// of any kind. Over a transport that is not in memory, the peer may see a lost connection as closed with the code 1001,
/// because a transport has no other means to end a connection. A ``TCPFaultProxy`` resets real connections.
public final class FaultInjector: Sendable {
    private struct State {
        var rules: [FaultRule]
        var connections = 0
        var log: [InjectedFault] = []
        var faultCount = 0
        var open: [Int: WeakTransport] = [:]
    }

    private struct WeakTransport: Sendable {
        weak let transport: FaultTransport?
    }

    /// The maximum number of faults in ``log``: 100 000. Later faults are made, and counted.
    public static let maximumLogCount = 100_000

    /// The seed.
    public let seed: UInt64
    /// The clock of delays.
    public let clock: any Clock<Duration>
    private let state: Mutex<State>

    /// Makes an injector.
    ///
    /// - Parameters:
    ///   - seed: The seed. The default is a random number.
    ///   - clock: The clock of delays. The default is the continuous clock.
    ///   - rules: The rules. At each message, the first rule that selects it is applied.
    public init(
        seed: UInt64 = .random(in: 0...UInt64.max), clock: any Clock<Duration> = ContinuousClock(),
        rules: [FaultRule] = []
    ) {
        self.seed = seed
        self.clock = clock
        state = Mutex(State(rules: rules))
    }

    /// The rules. A change applies to the messages after it.
    public var rules: [FaultRule] {
        get { state.withLock { $0.rules } }
        set { state.withLock { $0.rules = newValue } }
    }

    /// The faults so far, in the order in which they were decided; at most ``maximumLogCount`` of them.
    public var log: [InjectedFault] { state.withLock { $0.log } }

    /// The number of faults so far.
    public var faultCount: Int { state.withLock { $0.faultCount } }

    /// The number of connections so far.
    public var connectionCount: Int { state.withLock { $0.connections } }

    // MARK: Connecting

    /// Returns a connector whose connections have the faults.
    ///
    /// - Parameter base: The connector that makes the connections.
    public func connector(over base: any MessageConnector) -> FaultConnector {
        FaultConnector(injector: self, base: base)
    }

    /// Returns a receiver for one connection, which passes messages to another receiver with the faults. That receiver
    /// gets a transport that makes the faults of outbound messages.
    ///
    /// Use it on the side of a server, or where a transport is opened without a connector.
    public func receiver(for receiver: any MessageReceiver) -> any MessageReceiver {
        FaultTransport(injector: self, receiver: receiver)
    }

    // MARK: Ending connections

    /// Ends all open connections now, without a handshake. Messages that are still in the outbox count as not sent.
    public func killConnections() { end(.kill(.beforeWriting)) }

    /// Closes all open connections now, with a closing handshake. The program sees closes by the peer.
    public func closeConnections(code: UInt16, reason: String = "") { end(.close(code: code, reason: reason)) }

    private func end(_ fault: Fault) {
        let open = state.withLock { state in state.open.mapValues(\.transport) }
        for (connection, transport) in open.sorted(by: { $0.key < $1.key }) {
            let made = InjectedFault(connection: connection, direction: .outbound, message: nil, fault: fault)
            if transport?.end(by: made) == true { note(made) }
        }
    }

    // MARK: For the transports

    func opened(_ transport: FaultTransport) -> Int {
        state.withLock { state in
            state.connections += 1
            state.open[state.connections] = WeakTransport(transport: transport)
            return state.connections
        }
    }

    func closed(_ connection: Int) { state.withLock { $0.open[connection] = nil } }

    /// Returns the fault of a message, and logs it.
    func fault(connection: Int, _ direction: MessageDirection, message: Int, byteCount: Int) -> InjectedFault? {
        var draw = FaultDraw(seed: seed, connection: connection, direction: direction, message: message)
        guard let fault = draw.fault(of: rules, byteCount: byteCount) else { return nil }
        let made = InjectedFault(connection: connection, direction: direction, message: message, fault: fault)
        note(made)
        return made
    }

    private func note(_ fault: InjectedFault) {
        state.withLock { state in
            state.faultCount += 1
            if state.log.count < Self.maximumLogCount { state.log.append(fault) }
        }
    }
}

extension FaultInjector: CustomStringConvertible {
    /// The seed, and a line for each fault.
    public var description: String {
        (["FaultInjector(seed: \(seed)): \(faultCount) faults"] + log.map { "  \($0)" }).joined(separator: "\n")
    }
}

/// A connector whose connections have the faults of a ``FaultInjector``.
public struct FaultConnector: MessageConnector {
    /// The injector.
    public let injector: FaultInjector
    /// The connector that makes the connections.
    public let base: any MessageConnector

    /// Makes a connection. A client calls this method.
    ///
    /// - Throws: The error of the base connector.
    public func connect(receiver: any MessageReceiver) async throws {
        try await base.connect(receiver: injector.receiver(for: receiver))
    }
}
