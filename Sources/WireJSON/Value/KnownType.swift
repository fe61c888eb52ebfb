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
    @inline(never)
    init<T>(_ type: T.Type) {
        self.init(scalar: type)
        if self == .other { self.init(compound: type) }
    }

    /// Tells scalars and arrays of them; the rest is `other`.
    @inline(__always)
    init<T>(scalar type: T.Type) {
        if type == String.self {
            self = .string
        } else if type == Int.self {
            self = .int
        } else if type == Double.self {
            self = .double
        } else if type == Bool.self {
            self = .bool
        } else if type == [Int].self {
            self = .ints
        } else if type == [String].self {
            self = .strings
        } else if type == [Double].self {
            self = .doubles
        } else {
            self = .other
        }
    }

    private init<T>(compound type: T.Type) {
        if type == Date.self {
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

/// What is known of the types that were asked about last: to find it out again takes longer than to look here.
struct KnownTypes<Collection>: ~Copyable {
    private struct Slot {
        var type: ObjectIdentifier?
        var kind = KnownType.other
        var collection: Collection?
    }

    private static var count: Int { 64 }
    private let slots: UnsafeMutablePointer<Slot>

    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(), count: Self.count)
    }

    deinit {
        slots.deinitialize(count: Self.count)
        slots.deallocate()
    }

    /// A type's kind, and the type as a collection that is read and written without containers, if it is one.
    @inline(__always)
    func find<T>(_ type: T.Type, _ collection: () -> Collection?) -> (kind: KnownType, collection: Collection?) {
        let key = ObjectIdentifier(type)
        let address = UInt(bitPattern: key)
        let slot = slots + (Int(truncatingIfNeeded: (address ^ address &>> 9) &>> 3) & (Self.count - 1))
        if slot.pointee.type != key {
            let kind = KnownType(type)
            let hasOwnForm = kind != .other && kind != .doubles
            slot.pointee = Slot(type: key, kind: kind, collection: hasOwnForm ? nil : collection())
        }
        return (slot.pointee.kind, slot.pointee.collection)
    }
}

/// A value as another name of its own type: for generic code that has found out what its type parameter is.
@inline(__always)
func same<Value, Target>(_ value: Value, as type: Target.Type) -> Target {
    // Callers have compared the two types, and they are one.
    unsafeBitCast(value, to: type)
}
