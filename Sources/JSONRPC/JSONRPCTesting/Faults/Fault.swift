// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The direction of a message, seen from the program under test.
public enum MessageDirection: Sendable, Hashable, CaseIterable {
    /// From the peer to the program.
    case inbound
    /// From the program to the peer.
    case outbound
}

/// A fault of a connection, which a ``FaultInjector`` injects at one message.
public enum Fault: Sendable, Hashable {
    /// The moment at which a connection is lost, relative to an outbound message.
    public enum KillPoint: Sendable, Hashable, CaseIterable {
        /// The message is still in the outbox. A call with it fails as not sent.
        case beforeWriting
        /// The message was written, and is lost on its way. The outcome of a call with it is unknown.
        case afterWriting
        /// The peer has received the message, but no answer arrives. The outcome of a call with it is unknown.
        case afterDelivery
    }

    /// The message arrives later, and all messages after it in the same direction wait for it. The delay is a random
    /// value of the range, on the injector's clock.
    case delay(ClosedRange<Duration>)
    /// The message arrives after the next `behind` messages of its direction. If fewer messages follow, it arrives
    /// after the time `within` on the injector's clock, or when the connection is closed.
    case reorder(behind: Int = 1, within: Duration = .milliseconds(100))
    /// The message arrives twice.
    case duplicate
    /// The message is lost. An outbound message counts as sent.
    case drop
    /// Only the first bytes of the message arrive. Their number is random if `to` is `nil`.
    case truncate(to: Int? = nil)
    /// One bit of a byte of the message is inverted. The byte is random if `byte` is `nil`; the bit is always random.
    case corrupt(byte: Int? = nil)
    /// The message and all messages after it in the same direction are lost, while the connection stays open.
    case stall
    /// The connection is closed with a closing handshake before the message. The program sees a close by the peer.
    case close(code: UInt16, reason: String = "")
    /// The connection is lost without a handshake. An inbound message is lost with it.
    case kill(KillPoint = .afterWriting)
}

/// A rule of a ``FaultInjector``: a fault, and the messages that it concerns.
public struct FaultRule: Sendable, Hashable {
    /// The choice of messages.
    public enum Selection: Sendable, Hashable {
        /// Each message, with a probability between 0 and 1.
        case probability(Double)
        /// The messages with these numbers. The first message of a connection in its direction has the number 1. An
        /// array counts as one message.
        case messages(ClosedRange<Int>)
    }

    /// The fault.
    public var fault: Fault
    /// The direction of the messages; `nil` for both.
    public var direction: MessageDirection?
    /// The choice of messages.
    public var selection: Selection
    /// The number of the connection, counted from 1; `nil` for every connection.
    public var connection: Int?

    /// Makes a rule for each message with a probability between 0 and 1, by default in both directions of every
    /// connection.
    public init(
        _ fault: Fault, _ direction: MessageDirection? = nil, probability: Double, connection: Int? = nil
    ) {
        self.init(fault, direction, .probability(probability), connection)
    }

    /// Makes a rule for one message, by default of every connection. It is numbered as in ``Selection/messages(_:)``.
    public init(_ fault: Fault, _ direction: MessageDirection, message: Int, connection: Int? = nil) {
        self.init(fault, direction, .messages(message...message), connection)
    }

    /// Makes a rule for a range of messages, by default of every connection.
    public init(
        _ fault: Fault, _ direction: MessageDirection, messages: ClosedRange<Int>, connection: Int? = nil
    ) {
        self.init(fault, direction, .messages(messages), connection)
    }

    private init(_ fault: Fault, _ direction: MessageDirection?, _ selection: Selection, _ connection: Int?) {
        self.fault = fault
        self.direction = direction
        self.selection = selection
        self.connection = connection
    }
}

/// A fault that a ``FaultInjector`` has injected, with its random values.
public struct InjectedFault: Sendable, Hashable, CustomStringConvertible {
    /// The number of the connection, counted from 1.
    public var connection: Int
    /// The direction of the message.
    public var direction: MessageDirection
    /// The number of the message on its connection and in its direction, counted from 1; `nil` for a fault that the
    /// test made itself.
    public var message: Int?
    /// The fault. A range of delays has been narrowed to one value, and lengths and positions are set.
    public var fault: Fault

    /// The place and the fault, such as `connection 1, inbound message 3: drop`.
    public var description: String {
        let place = message.map { "\(direction) message \($0)" } ?? "by the test"
        return "connection \(connection), \(place): \(fault)"
    }
}

/// The error of a connection that a ``FaultInjector`` ended. It is the cause of the errors of the calls in flight.
public struct InjectedFaultError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault.
    public var fault: InjectedFault
    /// The seed of the injector, which repeats its faults.
    public var seed: UInt64

    /// The fault and the seed as one sentence.
    public var description: String { "The connection was ended by an injected fault: \(fault) (seed \(seed))." }
}

/// The random numbers of one message, which its number and the seed determine (SplitMix64).
struct FaultDraw: RandomNumberGenerator {
    private let connection: Int
    private let direction: MessageDirection
    private let message: Int
    private var word: UInt64

    init(seed: UInt64, connection: Int, direction: MessageDirection, message: Int) {
        self.connection = connection
        self.direction = direction
        self.message = message
        word = seed
        for part in [
            UInt64(truncatingIfNeeded: connection), direction == .inbound ? 1 : 2,
            UInt64(truncatingIfNeeded: message),
        ] {
            word = next() ^ part
        }
    }

    mutating func next() -> UInt64 {
        word &+= 0x9E37_79B9_7F4A_7C15
        var mixed = word
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns the fault of the first rule that selects the message, with its random values.
    mutating func fault(of rules: [FaultRule], byteCount: Int) -> Fault? {
        for rule in rules {
            // Drawn for each rule, so that no rule changes the random numbers of the rules after it.
            let chance = Double.random(in: 0..<1, using: &self)
            guard rule.direction == nil || rule.direction == direction,
                rule.connection == nil || rule.connection == connection
            else { continue }
            switch rule.selection {
            case .probability(let probability): if chance < probability { return drawn(rule.fault, byteCount) }
            case .messages(let numbers): if numbers.contains(message) { return drawn(rule.fault, byteCount) }
            }
        }
        return nil
    }

    private mutating func drawn(_ fault: Fault, _ byteCount: Int) -> Fault {
        switch fault {
        case .delay(let range):
            let nanoseconds = Int64(min(max((range.upperBound - range.lowerBound) / .nanoseconds(1), 0), 1e18))
            let delay = range.lowerBound + .nanoseconds(Int64.random(in: 0...nanoseconds, using: &self))
            return .delay(delay...delay)
        case .truncate(nil): return .truncate(to: byteCount > 0 ? Int.random(in: 0..<byteCount, using: &self) : 0)
        case .corrupt(nil): return .corrupt(byte: byteCount > 0 ? Int.random(in: 0..<byteCount, using: &self) : 0)
        case .reorder, .duplicate, .drop, .truncate, .corrupt, .stall, .close, .kill: return fault
        }
    }

    mutating func altered(_ bytes: [UInt8], by fault: Fault) -> [UInt8] {
        switch fault {
        case .truncate(let count): return Array(bytes.prefix(max(0, count ?? 0)))
        case .corrupt(let byte):
            guard let byte, bytes.indices.contains(byte) else { return bytes }
            var bytes = bytes
            bytes[byte] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            return bytes
        case .delay, .reorder, .duplicate, .drop, .stall, .close, .kill: return bytes
        }
    }
}
