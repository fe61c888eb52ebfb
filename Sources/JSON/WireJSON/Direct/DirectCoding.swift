// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Reads or writes values of one type without `Codable`, for generic code that only knows the type to be `Decodable` or
/// `Encodable`.
///
/// A method of a class gives a value of the type, or gets it where it lies, without the run-time metadata that an existential,
/// or memory for the value, would need at each call.
class DirectCoding<Value>: @unchecked Sendable {  // It has no state.
    func read(_ reader: inout JSONReader) throws(JSONFallback) -> Value { throw JSONFallback() }
    func write(_ value: Value, to writer: inout JSONWriter) throws(JSONFallback) { throw JSONFallback() }
}

private final class DirectReading<Value: JSONReadable>: DirectCoding<Value>, @unchecked Sendable {  // Nor has this.
    override func read(_ reader: inout JSONReader) throws(JSONFallback) -> Value { try Value(reading: &reader) }
}

private final class DirectWriting<Value: JSONWritable>: DirectCoding<Value>, @unchecked Sendable {  // Nor has this.
    override func write(_ value: Value, to writer: inout JSONWriter) throws(JSONFallback) {
        try value.write(to: &writer)
    }
}

/// The reading or the writing of a type. What it refers to lives as long as the program.
@safe struct AnyDirectCoding {
    private typealias Coding = any AnyObject & Sendable

    private let coding: Unmanaged<AnyObject>

    // One for each type, so that there are never more than types.
    private static let readings = SharedValues<ObjectIdentifier, Coding>()
    private static let writings = SharedValues<ObjectIdentifier, Coding>()

    /// Returns the reading of a type, or `nil` if the type is not read directly.
    @inline(never)
    init?<T>(reading type: T.Type) {
        guard let direct = type as? any JSONReadable.Type else { return nil }
        let object = Self.readings.value(for: ObjectIdentifier(type)) { Self.reading(direct) }
        // The table above keeps it.
        unsafe coding = Unmanaged.passUnretained(object)
    }

    /// Returns the writing of a type, or `nil` if the type is not written directly.
    @inline(never)
    init?<T>(writing type: T.Type) {
        guard let direct = type as? any JSONWritable.Type else { return nil }
        let object = Self.writings.value(for: ObjectIdentifier(type)) { Self.writing(direct) }
        // The table above keeps it.
        unsafe coding = Unmanaged.passUnretained(object)
    }

    private static func reading<T: JSONReadable>(_ type: T.Type) -> Coding { DirectReading<T>() }
    private static func writing<T: JSONWritable>(_ type: T.Type) -> Coding { DirectWriting<T>() }

    /// Reads a value of the type that this was made for.
    @inline(__always)
    func read<T>(_ type: T.Type, _ reader: inout JSONReader) throws(JSONFallback) -> T {
        do {
            // What was made for the type `T` codes `T`. The table above keeps it, so no reference is counted.
            return try unsafe coding._withUnsafeGuaranteedRef {
                try unsafe unsafeDowncast($0, to: DirectCoding<T>.self).read(&reader)
            }
        } catch {
            throw JSONFallback()
        }
    }

    /// Writes a value of the type that this was made for.
    @inline(__always)
    func write<T>(_ value: T, to writer: inout JSONWriter) throws(JSONFallback) {
        do {
            // As above.
            try unsafe coding._withUnsafeGuaranteedRef {
                try unsafe unsafeDowncast($0, to: DirectCoding<T>.self).write(value, to: &writer)
            }
        } catch {
            throw JSONFallback()
        }
    }
}
