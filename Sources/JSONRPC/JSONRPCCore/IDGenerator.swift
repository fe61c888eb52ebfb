// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
import Synchronization

/// A generator of request ids.
///
/// A session calls this package's generators inside its critical section, so their ids are in the order of the wire.
/// It calls your own generator in the caller's task, before that section, one call at a time. ``next()`` must not
/// return the id of a call in flight: such a call fails with ``ClientError/Code/requestIDInUse``.
public protocol IDGenerator: Sendable {
    /// Returns the id of the next request, which must differ from the ids of all calls in flight.
    mutating func next() -> RequestID
}

/// Numbers in ascending order: 1, 2, 3 … This is the default and the fastest generator.
public struct NumberIDGenerator: IDGenerator, Hashable {
    /// The number that ``next()`` returns next.
    public private(set) var upcoming: Int64

    /// Makes a generator.
    ///
    /// - Parameter first: The first id. The default is 1. With different first ids, the calls of two clients can be
    ///   distinguished in the log of a peer.
    public init(startingAt first: Int64 = 1) { upcoming = first }

    public mutating func next() -> RequestID { .number(nextNumber()) }

    /// Returns the next id as an integer. `Int64.max` is followed by `Int64.min`.
    package mutating func nextNumber() -> Int64 {
        defer { upcoming &+= 1 }
        return upcoming
    }
}

/// Strings of a prefix and an ascending number: `"a-1"`, `"a-2"` …
public struct StringIDGenerator: IDGenerator, Hashable {
    /// The beginning of each id.
    public let prefix: String
    private var numbers: NumberIDGenerator

    /// Makes a generator. The default is no prefix, and 1 as the first number.
    public init(prefix: String = "", startingAt first: Int64 = 1) {
        self.prefix = prefix
        numbers = NumberIDGenerator(startingAt: first)
    }

    public mutating func next() -> RequestID { .string(prefix + String(numbers.nextNumber())) }
}

/// Random UUIDs (RFC 9562 §5.4, version 4) in lower case, from the system's random number generator.
public struct UUIDGenerator: IDGenerator, Hashable {
    public init() {}

    public mutating func next() -> RequestID { .string(UUID().uuidString.lowercased()) }
}

/// Ids from a closure, which must obey the rules of ``IDGenerator``.
public struct CustomIDGenerator: IDGenerator {
    private let body: @Sendable () -> RequestID

    /// Makes a generator from a closure that returns the next id.
    public init(_ body: @escaping @Sendable () -> RequestID) { self.body = body }

    public mutating func next() -> RequestID { body() }
}

extension IDGenerator where Self == NumberIDGenerator {
    /// Numbers: 1, 2, 3 …
    public static var numbers: NumberIDGenerator { NumberIDGenerator() }
}

extension IDGenerator where Self == UUIDGenerator {
    /// Random UUIDs.
    public static var uuids: UUIDGenerator { UUIDGenerator() }
}

extension IDGenerator where Self == StringIDGenerator {
    /// Strings of `prefix` followed by 1, 2, 3 …
    public static func strings(prefix: String) -> StringIDGenerator { StringIDGenerator(prefix: prefix) }
}

/// The form in which a session stores a generator, so that numbers need no dynamic call.
package enum IDSource: Sendable {
    case numbers(NumberIDGenerator)
    case custom(any IDGenerator)

    package init(_ generator: any IDGenerator) {
        if let numbers = generator as? NumberIDGenerator {
            self = .numbers(numbers)
        } else {
            self = .custom(generator)
        }
    }

    package mutating func next() -> RequestID {
        switch self {
        case .numbers(var numbers):
            let id = numbers.next()
            self = .numbers(numbers)
            return id
        case .custom(var generator):
            let id = generator.next()
            self = .custom(generator)
            return id
        }
    }
}

/// A source of ids that several tasks use. It has a lock of its own, because generating an id changes the generator.
package final class SharedIDs: Sendable {
    private let source: Mutex<IDSource>

    package init(_ generator: any IDGenerator) { source = Mutex(IDSource(generator)) }

    /// `nil` for the generators of this package. They call no code of the program, so a session uses them under its
    /// lock, where ids are in the order of the wire. Other ids are generated in the caller's task, before that lock is
    /// taken.
    package convenience init?(custom generator: any IDGenerator) {
        if generator is NumberIDGenerator || generator is StringIDGenerator || generator is UUIDGenerator { return nil }
        self.init(generator)
    }

    package func next() -> RequestID { source.withLock { $0.next() } }

    /// Passes the source to a closure. Ids that the closure draws are consecutive.
    func draw<Value: Sendable>(_ body: (inout IDSource) -> Value) -> Value { source.withLock { body(&$0) } }
}
