// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The types that have a form of their own in JSON, whatever their `Codable` conformance does.
enum KnownType {
    case string, int, double, bool, ints, strings, doubles
    case date, data, url, decimal, raw, value, number
    case other

    /// Tells a type by comparing addresses.
    @inline(__always)
    init<T>(_ type: T.Type) {
        if type == String.self {
            self = .string
        } else if type == Int.self {
            self = .int
        } else if type == Double.self {
            self = .double
        } else if type == Bool.self {
            self = .bool
        } else {
            self.init(compound: type)
        }
    }

    @inline(__always)
    private init<T>(compound type: T.Type) {
        if type == [Int].self {
            self = .ints
        } else if type == [String].self {
            self = .strings
        } else if type == [Double].self {
            self = .doubles
        } else if type == Date.self {
            self = .date
        } else if type == Data.self {
            self = .data
        } else if type == URL.self {
            self = .url
        } else if type == Decimal.self {
            self = .decimal
        } else if type == RawJSON.self {
            self = .raw
        } else if type == JSONValue.self {
            self = .value
        } else if type == JSONNumber.self {
            self = .number
        } else {
            self = .other
        }
    }
}

/// Answers about types which take long to find, for the types that were asked about last.
struct TypeAnswers<Answer>: ~Copyable {
    private static var count: Int { 32 }
    private let slots: UnsafeMutablePointer<(type: ObjectIdentifier?, answer: Answer?)>

    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: (nil, nil), count: Self.count)
    }

    deinit {
        slots.deinitialize(count: Self.count)
        slots.deallocate()
    }

    @inline(__always)
    func answer(_ type: ObjectIdentifier, _ find: () -> Answer?) -> Answer? {
        let address = UInt(bitPattern: type)
        let slot = slots + (Int(truncatingIfNeeded: (address ^ address &>> 9) &>> 3) & (Self.count - 1))
        if slot.pointee.type != type { slot.pointee = (type, find()) }
        return slot.pointee.answer
    }
}

/// A value as another name of its own type: for generic code that has found out what its type parameter is.
@inline(__always)
func same<Value, Target>(_ value: Value, as type: Target.Type) -> Target {
    // Callers have compared the two types, and they are one.
    unsafeBitCast(value, to: type)
}
