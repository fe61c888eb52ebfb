// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A source of ids for requests.
///
/// The order of ids is the order of requests on the wire, so ``next()`` is called under a lock: it must be quick, must not
/// block, and must not call the client. It must not return the id of a call in flight: the session refuses such a call with
/// ``ClientError/Code/requestIDInUse``.
public protocol IDGenerator: Sendable {
    /// Returns the id of the next request.
    mutating func next() -> RequestID
}

/// Numbers: 1, 2, 3 … The default, and the fastest.
public struct NumberIDGenerator: IDGenerator, Hashable {
    /// The number that ``next()`` returns next.
    public private(set) var upcoming: Int64

    /// - Parameter first: the first id. Two clients whose calls appear in one log may start far apart.
    public init(startingAt first: Int64 = 1) { upcoming = first }

    public mutating func next() -> RequestID { .number(nextNumber()) }

    /// The next id as a bare number. After `Int64.max` comes `Int64.min`.
    package mutating func nextNumber() -> Int64 {
        defer { upcoming &+= 1 }
        return upcoming
    }
}

/// Strings: a prefix followed by a number, such as `"a-1"`, `"a-2"` …
public struct StringIDGenerator: IDGenerator, Hashable {
    /// The beginning of each id.
    public let prefix: String
    private var numbers: NumberIDGenerator

    public init(prefix: String = "", startingAt first: Int64 = 1) {
        self.prefix = prefix
        numbers = NumberIDGenerator(startingAt: first)
    }

    public mutating func next() -> RequestID { .string(prefix + String(numbers.nextNumber())) }
}

/// Random UUIDs (RFC 9562 §5.4, version 4) in lower case, from the system's random source.
public struct UUIDGenerator: IDGenerator, Hashable {
    public init() {}

    public mutating func next() -> RequestID {
        var source = SystemRandomNumberGenerator()
        return .string(Self.uuid(source.next(), source.next()))
    }

    /// Writes 128 bits as a version 4 UUID: six of them give way to the version and the variant.
    static func uuid(_ high: UInt64, _ low: UInt64) -> String {
        let high = high & ~0xF000 | 0x4000
        let low = low & ~(0b11 << 62) | 0b10 << 62
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (word, dashes) in [(high, [8, 12]), (low, [0, 4])] {
            for digit in 0..<16 {
                if dashes.contains(digit) { text.append(UInt8(ascii: "-")) }
                text.append(hexDigit(UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * digit)) & 0xF))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The lower case digit for a value below 16.
    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

/// Ids from a closure, under the rules of ``IDGenerator``.
public struct CustomIDGenerator: IDGenerator {
    private let body: @Sendable () -> RequestID

    public init(_ body: @escaping @Sendable () -> RequestID) { self.body = body }

    public mutating func next() -> RequestID { body() }
}

extension IDGenerator where Self == NumberIDGenerator {
    /// 1, 2, 3 …
    public static var numbers: NumberIDGenerator { NumberIDGenerator() }
}

extension IDGenerator where Self == UUIDGenerator {
    /// Random UUIDs.
    public static var uuids: UUIDGenerator { UUIDGenerator() }
}

extension IDGenerator where Self == StringIDGenerator {
    /// `prefix` followed by 1, 2, 3 …
    public static func strings(prefix: String) -> StringIDGenerator { StringIDGenerator(prefix: prefix) }
}

/// A generator in the form a session keeps it: counting needs no dynamic call.
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
