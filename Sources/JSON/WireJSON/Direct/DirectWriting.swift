// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Writes values of one type that is ``JSONWritable``, for generic code that only knows the type to be `Encodable`.
///
/// A method of a class gets the value where it lies. An existential would copy it.
class DirectWriting<Value>: @unchecked Sendable {  // It has no state.
    func write(_ value: Value, to writer: inout JSONWriter) throws(JSONFallback) { throw JSONFallback() }
}

private final class DirectWritingOf<Value: JSONWritable>: DirectWriting<Value>, @unchecked Sendable {  // Nor has this.
    override func write(_ value: Value, to writer: inout JSONWriter) throws(JSONFallback) {
        try value.write(to: &writer)
    }
}

/// The writing of a type. What it refers to lives as long as the program.
@safe struct AnyDirectWriting {
    private let writing: Unmanaged<AnyObject>

    /// One for each type, so that there are never more than types.
    private static let all = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// Returns the writing of a type, or `nil` if the type is not written directly.
    @inline(never)
    init?<T>(_ type: T.Type) {
        guard let direct = type as? any JSONWritable.Type else { return nil }
        let object = Self.all.withLock { all in
            let object = all[ObjectIdentifier(type)] ?? Self.make(direct)
            all[ObjectIdentifier(type)] = object
            return object
        }
        // The table above keeps it.
        unsafe writing = Unmanaged.passUnretained(object)
    }

    private static func make<T: JSONWritable>(_ type: T.Type) -> any AnyObject & Sendable { DirectWritingOf<T>() }

    /// Writes a value of the type that this was made for.
    @inline(__always)
    func write<T>(_ value: T, to writer: inout JSONWriter) throws(JSONFallback) {
        do {
            // What was made for the type `T` is a writing of `T`. The table above keeps it, so no reference is counted.
            try unsafe writing._withUnsafeGuaranteedRef {
                try unsafe unsafeDowncast($0, to: DirectWriting<T>.self).write(value, to: &writer)
            }
        } catch {
            throw JSONFallback()
        }
    }
}
