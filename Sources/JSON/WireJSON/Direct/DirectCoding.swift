// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Reads or writes values of one type without `Codable`. Generic code uses it if it only knows that the type is
/// `Decodable` or `Encodable`.
///
/// A class is used because its method can return or borrow a value of the type. An existential would need run-time
/// metadata and memory for the value at each call.
class DirectCoding<Value>: @unchecked Sendable {  // It has no state.
    func read(_ reader: inout JSONReader) throws(JSONFallback) -> Value { throw JSONFallback() }
    func write(_ value: Value, to writer: inout JSONWriter) throws(JSONFallback) { throw JSONFallback() }
}

private final class DirectReading<Value: JSONReadable>: DirectCoding<Value>, @unchecked Sendable {  // It has no state.
    override func read(_ reader: inout JSONReader) throws(JSONFallback) -> Value { try Value(reading: &reader) }
}

private final class DirectWriting<Value: JSONWritable>: DirectCoding<Value>, @unchecked Sendable {  // It has no state.
    override func write(_ value: Value, to writer: inout JSONWriter) throws(JSONFallback) {
        try value.write(to: &writer)
    }
}

/// The reader or the writer of a type. The object that it refers to is never freed.
@safe struct AnyDirectCoding {
    private typealias Coding = any AnyObject & Sendable

    private let coding: Unmanaged<AnyObject>

    // There is one entry per type, so the number of types is the bound.
    private static let readings = SharedValues<ObjectIdentifier, Coding>()
    private static let writings = SharedValues<ObjectIdentifier, Coding>()

    /// Returns the reader of a type, or `nil` if the type is only read through `Codable`.
    @inline(never)
    init?<T>(reading type: T.Type) {
        guard let direct = type as? any JSONReadable.Type else { return nil }
        let object = Self.readings.value(for: ObjectIdentifier(type)) { Self.reading(direct) }
        // The table above retains it.
        unsafe coding = Unmanaged.passUnretained(object)
    }

    /// Returns the writer of a type, or `nil` if the type is only written through `Codable`.
    @inline(never)
    init?<T>(writing type: T.Type) {
        guard let direct = type as? any JSONWritable.Type else { return nil }
        let object = Self.writings.value(for: ObjectIdentifier(type)) { Self.writing(direct) }
        // The table above retains it.
        unsafe coding = Unmanaged.passUnretained(object)
    }

    private static func reading<T: JSONReadable>(_ type: T.Type) -> Coding { DirectReading<T>() }
    private static func writing<T: JSONWritable>(_ type: T.Type) -> Coding { DirectWriting<T>() }

    /// Reads a value. The type must be the type of this coding.
    @inline(__always)
    func read<T>(_ type: T.Type, _ reader: inout JSONReader) throws(JSONFallback) -> T {
        do {
            // The coding of the type `T` codes `T`. The table above retains it, so no reference is counted.
            return try unsafe coding._withUnsafeGuaranteedRef {
                try unsafe unsafeDowncast($0, to: DirectCoding<T>.self).read(&reader)
            }
        } catch {
            throw JSONFallback()
        }
    }

    /// Writes a value. The type must be the type of this coding.
    @inline(__always)
    func write<T>(_ value: T, to writer: inout JSONWriter) throws(JSONFallback) {
        do {
            // The table above retains it.
            try unsafe coding._withUnsafeGuaranteedRef {
                try unsafe unsafeDowncast($0, to: DirectCoding<T>.self).write(value, to: &writer)
            }
        } catch {
            throw JSONFallback()
        }
    }
}
