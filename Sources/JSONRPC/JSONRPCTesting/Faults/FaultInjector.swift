// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
import Synchronization

/// An injector of faults into the messages of connections. The same seed repeats the same faults.
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
/// The first rule that selects a message injects its fault. The decision depends only on the seed, the number of the
/// connection, the direction and the number of the message, so the same messages get the same faults, whatever the
/// threads do in between. If a test fails, print the injector: ``description`` names the seed and the faults.
///
/// Delivery is reported as over a real connection: the session learns which messages were not sent. The transport can
/// be of any kind. Over a transport that is not in memory, the peer may see a lost connection as closed with the code
/// 1001, because a transport has no other means to end a connection. A ``TCPFaultProxy`` resets real connections. An
/// injector must not be put over its own connections.
public final class FaultInjector: Sendable {
    struct State {
        let seed: UInt64
        var rules: [FaultRule]
        var connectionCount = 0
        var log: [InjectedFault] = []
        var faultCount = 0
        var open: [Int: FaultConnection] = [:]
    }

    /// The maximum number of faults in ``log``: 100 000. Later faults are made, and counted.
    public static let maximumLogCount = 100_000

    /// The seed. The default is a random number.
    public let seed: UInt64
    /// The clock of delays. The default is the continuous clock.
    public let clock: any Clock<Duration>
    private let state: Mutex<State>

    public init(
        seed: UInt64 = .random(in: 0...UInt64.max), clock: any Clock<Duration> = ContinuousClock(),
        rules: [FaultRule] = []
    ) {
        self.seed = seed
        self.clock = clock
        state = Mutex(State(seed: seed, rules: rules))
    }

    /// The rules. At each message, the first rule that selects it is applied. A change applies to the messages after
    /// it.
    public var rules: [FaultRule] {
        get { state.withLock { $0.rules } }
        set { state.withLock { $0.rules = newValue } }
    }

    /// The faults so far, in the order in which they were decided; at most ``maximumLogCount`` of them.
    public var log: [InjectedFault] { state.withLock { $0.log } }

    /// The number of faults so far.
    public var faultCount: Int { state.withLock { $0.faultCount } }

    /// The number of connections so far.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    // MARK: Connecting

    /// Returns a connector that wraps another connector and injects the faults into its connections.
    public func connector(over base: any MessageConnector) -> some MessageConnector {
        WrappingConnector(base: base, wrap: receiver)
    }

    /// Returns a receiver for one connection, which passes messages to another receiver with the faults. That receiver
    /// gets a transport that injects the faults of outbound messages.
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
            if transport.end(by: made) { state.withLock { $0.note(made) } }
        }
    }

    // MARK: For the transports

    /// Returns the number of the new connection.
    func open(_ transport: FaultTransport, over base: any MessageTransport) -> Int {
        state.withLock { state in
            state.connectionCount += 1
            let number = state.connectionCount
            state.open[number] = FaultConnection(number: number, seed: seed, transport: transport, base: base)
            return number
        }
    }

    func close(_ connection: Int) -> FaultConnection? { state.withLock { $0.open.removeValue(forKey: connection) } }

    /// Reads or changes a connection. Returns `nil` if it is not open.
    @discardableResult
    func withConnection<Result: Sendable>(
        _ number: Int, _ body: (inout FaultConnection, inout State) -> Result
    ) -> Result? {
        state.withLock { state in
            guard var connection = state.open.removeValue(forKey: number) else { return nil }
            defer { state.open[number] = connection }
            return body(&connection, &state)
        }
    }
}

extension FaultInjector.State {
    /// Returns the fault of the next message of a connection, and logs it.
    mutating func fault(
        of bytes: [UInt8], _ direction: MessageDirection, on connection: inout FaultConnection
    ) -> InjectedFault? {
        let message = connection.countMessage(direction)
        var draw = FaultDraw(seed: seed, connection: connection.number, direction: direction, message: message)
        guard let fault = draw.fault(of: rules, byteCount: bytes.count) else { return nil }
        let made = InjectedFault(connection: connection.number, direction: direction, message: message, fault: fault)
        note(made)
        return made
    }

    fileprivate mutating func note(_ fault: InjectedFault) {
        faultCount += 1
        if log.count < FaultInjector.maximumLogCount { log.append(fault) }
    }
}

extension FaultInjector: CustomStringConvertible {
    /// The seed, and a line for each fault.
    public var description: String {
        (["FaultInjector(seed: \(seed)): \(faultCount) faults"] + log.map { "  \($0)" }).joined(separator: "\n")
    }
}
