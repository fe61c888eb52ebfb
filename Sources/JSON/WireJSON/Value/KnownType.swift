// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials

/// The types with their own form in JSON. The coders do not use their `Codable` conformance.
enum KnownType {
    case string, int, double, bool, ints, strings, doubles
    case date, data, url, decimal, raw, value, number
    case other

    /// Finds the kind of a type by comparing addresses.
    @inline(never)
    init<T>(_ type: T.Type) {
        self.init(scalar: type)
        guard self == .other else { return }
        switch type {
        case _ where type == Date.self: self = .date
        case _ where type == Data.self: self = .data
        case _ where type == URL.self: self = .url
        case _ where type == Decimal.self: self = .decimal
        case _ where type == RawJSON.self: self = .raw
        case _ where type == JSONValue.self: self = .value
        case _ where type == JSONNumber.self: self = .number
        default: break
        }
    }

    /// Finds the kind of a scalar or of an array of scalars. Other types are `other`.
    @inline(__always)
    init<T>(scalar type: T.Type) {
        switch type {
        case _ where type == String.self: self = .string
        case _ where type == Int.self: self = .int
        case _ where type == Double.self: self = .double
        case _ where type == Bool.self: self = .bool
        case _ where type == [Int].self: self = .ints
        case _ where type == [String].self: self = .strings
        case _ where type == [Double].self: self = .doubles
        default: self = .other
        }
    }
}

/// A cache of facts about types. A lookup in it is faster than finding out the kind of a type.
@safe struct KnownTypes<Collection>: ~Copyable {
    /// The facts about a type.
    struct Facts {
        fileprivate var type: ObjectIdentifier?
        var kind = KnownType.other
        /// The type itself, if it is a collection that is read or written without containers.
        var collection: Collection?
        /// The coding of the type, if it is read or written without `Codable`.
        var direct: AnyDirectCoding?
    }

    private static var count: Int { 64 }
    private let slots: UnsafeMutablePointer<Facts>

    init() {
        unsafe slots = .allocate(capacity: Self.count)
        unsafe slots.initialize(repeating: Facts(), count: Self.count)
    }

    deinit {
        unsafe slots.deinitialize(count: Self.count)
        unsafe slots.deallocate()
    }

    @inline(__always)
    func find<T>(_ type: T.Type, _ collection: () -> Collection?, direct: () -> AnyDirectCoding?) -> Facts {
        let key = ObjectIdentifier(type)
        let address = UInt(bitPattern: key)
        let slot = unsafe slots + (Int(truncatingIfNeeded: (address ^ address &>> 9) &>> 3) & (Self.count - 1))
        if unsafe slot.pointee.type != key {
            let kind = KnownType(type)
            let hasOwnForm = kind != .other && kind != .doubles
            unsafe slot.pointee = Facts(
                type: key, kind: kind, collection: hasOwnForm ? nil : collection(),
                direct: kind == .other ? direct() : nil)
        }
        return unsafe slot.pointee
    }
}

/// Returns the same value as `Target`, which must be its type, for generic code that has compared the types.
@inline(__always)
func same<Value, Target>(_ value: Value, as type: Target.Type) -> Target {
    precondition(Value.self == type)
    return unsafe unsafeBitCast(value, to: type)
}
