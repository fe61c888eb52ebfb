// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials

extension Bool: JSONReadable, JSONWritable {
    public init(reading reader: inout JSONReader) throws(JSONFallback) { self = try reader.readBool() }

    public func write(to writer: inout JSONWriter) { writer.write(bool: self) }
}

extension String: JSONReadable, JSONWritable {
    public init(reading reader: inout JSONReader) throws(JSONFallback) { self = try reader.readString() }

    public func write(to writer: inout JSONWriter) { writer.write(string: self) }
}

extension Double: JSONReadable, JSONWritable {
    public init(reading reader: inout JSONReader) throws(JSONFallback) { self = try reader.readDouble() }

    public func write(to writer: inout JSONWriter) throws(JSONFallback) { try writer.write(double: self) }
}

// Other modules specialise these two functions for their types.
extension JSONReadable where Self: FixedWidthInteger {
    @inlinable
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        let start = reader.scanner.position
        if let value = reader.readDigits() {
            if let integer = Self(exactly: value) {
                self = integer
                return
            }
            reader.scanner.position = start
        }
        self = try reader.decode(Self.self)
    }
}

extension JSONWritable where Self: FixedWidthInteger {
    @inlinable
    public func write(to writer: inout JSONWriter) {
        if Self.bitWidth <= 64 {
            writer.write(magnitude: UInt64(truncatingIfNeeded: magnitude), isNegative: self < 0)
        } else {
            writer.write(digits: String(self))
        }
    }
}

extension Int: JSONReadable, JSONWritable {}
extension Int8: JSONReadable, JSONWritable {}
extension Int16: JSONReadable, JSONWritable {}
extension Int32: JSONReadable, JSONWritable {}
extension Int64: JSONReadable, JSONWritable {}
extension UInt: JSONReadable, JSONWritable {}
extension UInt8: JSONReadable, JSONWritable {}
extension UInt16: JSONReadable, JSONWritable {}
extension UInt32: JSONReadable, JSONWritable {}
extension UInt64: JSONReadable, JSONWritable {}

extension RawJSON: JSONReadable, JSONWritable {
    /// Reads a value and keeps its bytes.
    public init(reading reader: inout JSONReader) throws(JSONFallback) { self = try reader.readRaw() }

    /// Writes the bytes unchanged.
    public func write(to writer: inout JSONWriter) { writer.write(json: self) }
}

extension JSONValue: JSONReadable, JSONWritable {
    public init(reading reader: inout JSONReader) throws(JSONFallback) { self = try reader.readValue() }

    public func write(to writer: inout JSONWriter) { writer.write(value: self) }
}

extension Date: JSONReadable, JSONWritable {
    /// Reads a date in the form of the decoder's strategy.
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        switch reader.document.options.values.dateDecodingStrategy {
        case .deferredToDate: self.init(timeIntervalSinceReferenceDate: try reader.readDouble())
        case .secondsSince1970: self.init(timeIntervalSince1970: try reader.readDouble())
        case .millisecondsSince1970: self.init(timeIntervalSince1970: try reader.readDouble() / 1000)
        case .iso8601, .custom: self = try reader.decode(Date.self)
        }
    }

    /// Writes a date in the form of the encoder's strategy.
    public func write(to writer: inout JSONWriter) throws(JSONFallback) {
        switch writer.options.values.dateEncodingStrategy {
        case .deferredToDate: try writer.write(double: timeIntervalSinceReferenceDate)
        case .secondsSince1970: try writer.write(double: timeIntervalSince1970)
        case .millisecondsSince1970: try writer.write(double: 1000 * timeIntervalSince1970)
        case .iso8601, .custom: try writer.encode(self)
        }
    }
}

extension Data: JSONReadable, JSONWritable {
    /// Reads data in the form of the decoder's strategy.
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        guard case .base64 = reader.document.options.values.dataDecodingStrategy else {
            self = try reader.decode(Data.self)
            return
        }
        guard let data = Data(base64Encoded: try reader.readString()) else { throw JSONFallback() }
        self = data
    }

    /// Writes data in the form of the encoder's strategy.
    public func write(to writer: inout JSONWriter) throws(JSONFallback) {
        if case .base64 = writer.options.values.dataEncodingStrategy {
            writer.write(string: base64EncodedString())
        } else {
            try writer.encode(self)
        }
    }
}

extension URL: JSONReadable, JSONWritable {
    /// Reads a URL from a string.
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        guard let url = URL(string: try reader.readString()) else { throw JSONFallback() }
        self = url
    }

    /// Writes the URL as a string.
    public func write(to writer: inout JSONWriter) { writer.write(string: absoluteString) }
}

extension Optional: JSONReadable where Wrapped: JSONReadable {
    @inlinable
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        self = reader.readNull() ? nil : try Wrapped(reading: &reader)
    }
}

extension Array: JSONReadable where Element: JSONReadable {
    @inlinable
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        self = []
        guard try reader.beginArray() else { return }
        if MemoryLayout<Element>.stride <= 16 { reserveCapacity(4) }
        repeat {
            append(try Element(reading: &reader))
        } while try reader.nextElement()
    }
}

/// The names are the keys. A key strategy does not change them.
extension Dictionary: JSONReadable where Key == String, Value: JSONReadable {
    @inlinable
    @_specialize(where Key == String, Value == Int)
    @_specialize(where Key == String, Value == String)
    @_specialize(where Key == String, Value == Double)
    @_specialize(where Key == String, Value == Bool)
    @_specialize(where Key == String, Value == JSONValue)
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        self = [:]
        var members = try reader.beginObject()
        // The number of members is only known at the end. A growing dictionary would rehash them again and again.
        var rest: [(name: String, value: Value)] = []
        while let name = try reader.nextName(&members) {
            let value = try Value(reading: &reader)
            if count < 32 { self[name] = value } else { rest.append((name, value)) }
        }
        guard !rest.isEmpty else { return }
        reserveCapacity(count + rest.count)
        for (name, value) in rest { self[name] = value }
    }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    @inlinable
    public func write(to writer: inout JSONWriter) throws(JSONFallback) {
        if let self { try self.write(to: &writer) } else { writer.writeNull() }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    @inlinable
    public func write(to writer: inout JSONWriter) throws(JSONFallback) {
        writer.beginArray()
        var isFirst = true
        for element in self {
            if !isFirst { writer.nextElement() }
            isFirst = false
            try element.write(to: &writer)
        }
        writer.endArray()
    }
}

/// The names are the keys. A key strategy does not change them.
extension Dictionary: JSONWritable where Key == String, Value: JSONWritable {
    @inlinable
    public func write(to writer: inout JSONWriter) throws(JSONFallback) {
        writer.beginObject()
        for (name, value) in self {
            writer.member(name)
            try value.write(to: &writer)
        }
        writer.endObject()
    }
}
