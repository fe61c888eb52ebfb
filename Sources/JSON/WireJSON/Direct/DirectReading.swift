// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Reads values of one type that is ``JSONReadable``, for generic code that only knows the type to be `Decodable`.
///
/// A method of a class gives a value of the type without the run-time metadata that an existential, or memory for the value,
/// would need at each call.
class DirectReading<Value>: @unchecked Sendable {  // It has no state.
    func read(_ reader: inout JSONReader) throws(JSONFallback) -> Value {
        throw JSONFallback()
    }
}

private final class DirectReadingOf<Value: JSONReadable>: DirectReading<Value>, @unchecked Sendable {  // Nor has this.
    override func read(_ reader: inout JSONReader) throws(JSONFallback) -> Value {
        try Value(reading: &reader)
    }
}

/// The reading of a type. What it refers to lives as long as the program.
@safe struct AnyDirectReading {
    private let reading: Unmanaged<AnyObject>

    /// One for each type, so that there are never more than types.
    private static let all = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// Returns the reading of a type, or `nil` if the type is not read directly.
    @inline(never)
    init?<T>(_ type: T.Type) {
        guard let direct = type as? any JSONReadable.Type else { return nil }
        let object = Self.all.withLock { all in
            let object = all[ObjectIdentifier(type)] ?? Self.make(direct)
            all[ObjectIdentifier(type)] = object
            return object
        }
        // The table above keeps it.
        unsafe reading = Unmanaged.passUnretained(object)
    }

    private static func make<T: JSONReadable>(_ type: T.Type) -> any AnyObject & Sendable {
        DirectReadingOf<T>()
    }

    /// Reads a value of the type that this was made for.
    @inline(__always)
    func read<T>(_ type: T.Type, _ reader: inout JSONReader) throws(JSONFallback) -> T {
        do {
            // What was made for the type `T` is a reading of `T`. The table above keeps it, so no reference is counted.
            return try unsafe reading._withUnsafeGuaranteedRef {
                try unsafe unsafeDowncast($0, to: DirectReading<T>.self).read(&reader)
            }
        } catch {
            throw JSONFallback()
        }
    }
}
