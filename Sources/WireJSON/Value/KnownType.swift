// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The types that have a form of their own in JSON. Their `Codable` conformance is not used.
enum KnownType {
    case string, int, double, bool, ints, strings, doubles
    case date, data, url, decimal, raw, value, number
    case other

    /// The kind of a type, found by comparing addresses.
    @inline(never)
    init<T>(_ type: T.Type) {
        self.init(scalar: type)
        if self == .other { self.init(compound: type) }
    }

    /// The kind of a scalar, or of an array of scalars. Other types are `other`.
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

/// A cache of types' kinds, because to find out a kind takes longer than to look it up here.
@safe struct KnownTypes<Collection>: ~Copyable {
    private struct Slot {
        var type: ObjectIdentifier?
        var kind = KnownType.other
        var collection: Collection?
    }

    private static var count: Int { 64 }
    private let slots: UnsafeMutablePointer<Slot>

    init() {
        unsafe slots = .allocate(capacity: Self.count)
        unsafe slots.initialize(repeating: Slot(), count: Self.count)
    }

    deinit {
        unsafe slots.deinitialize(count: Self.count)
        unsafe slots.deallocate()
    }

    /// Returns a type's kind, and the type itself if it is a collection that is coded without containers.
    @inline(__always)
    func find<T>(_ type: T.Type, _ collection: () -> Collection?) -> (kind: KnownType, collection: Collection?) {
        let key = ObjectIdentifier(type)
        let address = UInt(bitPattern: key)
        let slot = unsafe slots + (Int(truncatingIfNeeded: (address ^ address &>> 9) &>> 3) & (Self.count - 1))
        if unsafe slot.pointee.type != key {
            let kind = KnownType(type)
            let hasOwnForm = kind != .other && kind != .doubles
            unsafe slot.pointee = Slot(type: key, kind: kind, collection: hasOwnForm ? nil : collection())
        }
        return unsafe (slot.pointee.kind, slot.pointee.collection)
    }
}

/// Returns a value as another name of its own type, for generic code that has found out its type parameter.
@inline(__always)
func same<Value, Target>(_ value: Value, as type: Target.Type) -> Target {
    precondition(Value.self == type)
    return unsafe unsafeBitCast(value, to: type)
}
