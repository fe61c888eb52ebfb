// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The types that have a form of their own in JSON, whatever their `Codable` conformance does.
enum KnownType: UInt8 {
    case string, int, double, bool, ints, strings, doubles
    case date, data, url, decimal, raw, value, number
    case other

    /// Tells a type by comparing addresses.
    @inline(__always)
    init<T>(_ type: T.Type) {
        let id = ObjectIdentifier(type)
        self = .other
        let known = Self.known
        known.withUnsafeBufferPointer { known in
            for index in known.indices where known[index] == id {
                self = KnownType(rawValue: UInt8(truncatingIfNeeded: index)) ?? .other
                return
            }
        }
    }

    /// In the order of the cases.
    private static let known: [ObjectIdentifier] = [
        ObjectIdentifier(String.self), ObjectIdentifier(Int.self), ObjectIdentifier(Double.self),
        ObjectIdentifier(Bool.self), ObjectIdentifier([Int].self), ObjectIdentifier([String].self),
        ObjectIdentifier([Double].self), ObjectIdentifier(Date.self), ObjectIdentifier(Data.self),
        ObjectIdentifier(URL.self), ObjectIdentifier(Decimal.self), ObjectIdentifier(RawJSON.self),
        ObjectIdentifier(JSONValue.self), ObjectIdentifier(JSONNumber.self),
    ]
}

/// A value as another name of its own type: for generic code that has found out what its type parameter is.
@inline(__always)
func same<Value, Target>(_ value: Value, as type: Target.Type) -> Target {
    // Callers have compared the two types, and they are one.
    unsafeBitCast(value, to: type)
}
