// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Bool: JSONWritable {
    /// Writes a boolean.
    public func write(to writer: inout JSONWriter) { writer.write(bool: self) }
}

extension String: JSONWritable {
    /// Writes a string.
    public func write(to writer: inout JSONWriter) { writer.write(string: self) }
}

extension Double: JSONWritable {
    /// Writes a number.
    public func write(to writer: inout JSONWriter) throws(JSONFallback) { try writer.write(double: self) }
}

// Another module that knows the type gets a copy of this for it. What it calls is not generic.
extension JSONWritable where Self: FixedWidthInteger {
    /// Writes an integer.
    @inlinable
    public func write(to writer: inout JSONWriter) {
        if Self.bitWidth <= 64 {
            writer.write(magnitude: UInt64(truncatingIfNeeded: magnitude), isNegative: self < 0)
        } else {
            writer.write(digits: String(self))
        }
    }
}

extension Int: JSONWritable {}
extension Int8: JSONWritable {}
extension Int16: JSONWritable {}
extension Int32: JSONWritable {}
extension Int64: JSONWritable {}
extension UInt: JSONWritable {}
extension UInt8: JSONWritable {}
extension UInt16: JSONWritable {}
extension UInt32: JSONWritable {}
extension UInt64: JSONWritable {}

extension RawJSON: JSONWritable {
    /// Writes the bytes as they are.
    public func write(to writer: inout JSONWriter) { writer.write(json: self) }
}

extension JSONValue: JSONWritable {
    /// Writes a value of any kind.
    public func write(to writer: inout JSONWriter) { writer.write(value: self) }
}

extension Date: JSONWritable {
    /// Writes a date in the form that the encoder's strategy has.
    public func write(to writer: inout JSONWriter) throws(JSONFallback) {
        switch writer.options.values.dateEncodingStrategy {
        case .deferredToDate: try writer.write(double: timeIntervalSinceReferenceDate)
        case .secondsSince1970: try writer.write(double: timeIntervalSince1970)
        case .millisecondsSince1970: try writer.write(double: 1000 * timeIntervalSince1970)
        case .iso8601, .custom: try writer.encode(self)
        }
    }
}

extension Data: JSONWritable {
    /// Writes data in the form that the encoder's strategy has.
    public func write(to writer: inout JSONWriter) throws(JSONFallback) {
        if case .base64 = writer.options.values.dataEncodingStrategy {
            writer.write(string: base64EncodedString())
        } else {
            try writer.encode(self)
        }
    }
}

extension URL: JSONWritable {
    /// Writes a string with the URL.
    public func write(to writer: inout JSONWriter) { writer.write(string: absoluteString) }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    /// Writes the value, or `null`.
    @inlinable
    public func write(to writer: inout JSONWriter) throws(JSONFallback) {
        if let self { try self.write(to: &writer) } else { writer.writeNull() }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    /// Writes an array.
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

/// Names are the keys. A key strategy does not touch them.
extension Dictionary: JSONWritable where Key == String, Value: JSONWritable {
    /// Writes an object whose names are the keys.
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
