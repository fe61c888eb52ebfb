// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Bool: JSONReadable {
    /// Reads a boolean.
    public init(reading reader: inout JSONReader) throws(JSONFallback) { self = try reader.readBool() }
}

extension String: JSONReadable {
    /// Reads a string.
    public init(reading reader: inout JSONReader) throws(JSONFallback) { self = try reader.readString() }
}

extension Double: JSONReadable {
    /// Reads a number.
    public init(reading reader: inout JSONReader) throws(JSONFallback) { self = try reader.readDouble() }
}

// Another module that knows the type gets a copy of this for it. What it calls is generic only in rare cases.
extension JSONReadable where Self: FixedWidthInteger {
    /// Reads an integer.
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

extension Int: JSONReadable {}
extension Int8: JSONReadable {}
extension Int16: JSONReadable {}
extension Int32: JSONReadable {}
extension Int64: JSONReadable {}
extension UInt: JSONReadable {}
extension UInt8: JSONReadable {}
extension UInt16: JSONReadable {}
extension UInt32: JSONReadable {}
extension UInt64: JSONReadable {}

extension RawJSON: JSONReadable {
    /// Reads a value, and keeps its bytes.
    public init(reading reader: inout JSONReader) throws(JSONFallback) { self = try reader.readRaw() }
}

extension JSONValue: JSONReadable {
    /// Reads a value of any kind.
    public init(reading reader: inout JSONReader) throws(JSONFallback) { self = try reader.readValue() }
}

extension Date: JSONReadable {
    /// Reads a date in the form that the decoder's strategy has.
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        switch reader.document.options.values.dateDecodingStrategy {
        case .deferredToDate: self.init(timeIntervalSinceReferenceDate: try reader.readDouble())
        case .secondsSince1970: self.init(timeIntervalSince1970: try reader.readDouble())
        case .millisecondsSince1970: self.init(timeIntervalSince1970: try reader.readDouble() / 1000)
        case .iso8601, .custom: self = try reader.decode(Date.self)
        }
    }
}

extension Data: JSONReadable {
    /// Reads data in the form that the decoder's strategy has.
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        guard case .base64 = reader.document.options.values.dataDecodingStrategy else {
            self = try reader.decode(Data.self)
            return
        }
        guard let data = Data(base64Encoded: try reader.readString()) else { throw JSONFallback() }
        self = data
    }
}

extension URL: JSONReadable {
    /// Reads a string with a URL.
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        guard let url = URL(string: try reader.readString()) else { throw JSONFallback() }
        self = url
    }
}

extension Optional: JSONReadable where Wrapped: JSONReadable {
    /// Reads a value, or `null`.
    @inlinable
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        self = reader.readNull() ? nil : try Wrapped(reading: &reader)
    }
}

extension Array: JSONReadable where Element: JSONReadable {
    /// Reads an array.
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

/// Names are the keys. A key strategy does not touch them.
extension Dictionary: JSONReadable where Key == String, Value: JSONReadable {
    /// Reads an object whose names are the keys.
    @inlinable
    @_specialize(where Key == String, Value == Int)
    @_specialize(where Key == String, Value == String)
    @_specialize(where Key == String, Value == Double)
    @_specialize(where Key == String, Value == Bool)
    @_specialize(where Key == String, Value == JSONValue)
    public init(reading reader: inout JSONReader) throws(JSONFallback) {
        self = [:]
        var members = try reader.beginObject()
        // How many members there are is known at the end. Growing moves and hashes them again and again.
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
