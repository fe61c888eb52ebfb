// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Any JSON value as a tree.
///
/// Literals create values, and subscripts read them:
///
/// ```swift
/// let value: JSONValue = ["name": "disk", "sizes": [1, 2.5], "spare": nil]
/// value.sizes?[1]?.doubleValue  // 2.5
/// ```
@dynamicMemberLookup
public enum JSONValue: Sendable, Hashable {
    /// The value `null`.
    case null
    /// A boolean.
    case bool(Bool)
    /// A number.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue {
    /// The member of an object. It is `nil` if there is no such member, or if this is not an object.
    ///
    /// Setting a member of a value that is not an object replaces the value with an object. Setting `nil` removes the
    /// member.
    public subscript(name: String) -> JSONValue? {
        get { objectValue?[name] }
        set {
            guard case .object(var object) = self else {
                if let newValue { self = .object([name: newValue]) }
                return
            }
            self = .null  // Makes `object` the only owner of its storage.
            object[name] = newValue
            self = .object(object)
        }
    }

    /// The member of an object. It is `nil` if there is no such member, or if this is not an object.
    public subscript(dynamicMember name: String) -> JSONValue? {
        get { self[name] }
        set { self[name] = newValue }
    }

    /// The element of an array. It is `nil` if the index is out of bounds, or if this is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The boolean, or `nil` if this is not a boolean.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, or `nil` if this is not a number.
    public var numberValue: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The integer, or `nil` if this is not a number that `Int` can represent exactly.
    public var intValue: Int? { numberValue?.int }

    /// The nearest `Double`, or `nil` if this is not a number.
    public var doubleValue: Double? { numberValue?.double }

    /// The string, or `nil` if this is not a string.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, or `nil` if this is not an array.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, or `nil` if this is not an object.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    /// Creates a number. It traps if the literal is not finite.
    public init(floatLiteral value: Double) { self = .number(JSONNumber(floatLiteral: value)) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object. If a name is repeated, the last value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.lazy.map { (key: $0.0, value: $0.1) }))
    }
}

extension JSONValue {
    /// Parses one JSON text.
    ///
    /// - Throws: A ``JSONSyntaxError`` if the text is not JSON, exceeds a limit, or escapes half of a surrogate pair.
    public init(parsing bytes: ArraySlice<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        self = try JSONScanner.read(bytes, limits: limits) { scanner throws(ScanFault) in
            try scanner.beginText()
            let value = try scanner.readValue()
            try scanner.endText()
            return value
        }
    }

    /// Parses an array of bytes as the initializer for slices does.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        try self.init(parsing: bytes[...], limits: limits)
    }

    /// Parses a string as the initializer for slices of bytes does.
    public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// Parses a value.
    ///
    /// - Throws: A ``JSONSyntaxError`` if a string escapes half of a surrogate pair.
    public init(_ json: RawJSON) throws(JSONSyntaxError) {
        try self.init(parsing: json.bytes, limits: JSONLimits(maximumDepth: JSONLimits.largestMaximumDepth))
    }

    /// The value as JSON text, without white space.
    public var bytes: [UInt8] { bytes(escapesSlashes: false) }

    func bytes(escapesSlashes: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes, escapesSlashes: escapesSlashes)
        return bytes
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON text, without white space.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension RawJSON {
    /// Creates the text of a value, without white space.
    public init(_ value: JSONValue) { self.init(unchecked: value.bytes) }
}

extension JSONValue: ExpressibleByStringInterpolation {}

extension JSONValue {
    /// Creates a number that represents an integer exactly.
    public init(_ value: some FixedWidthInteger) {
        if let integer = Int64(exactly: value) {
            self = .number(JSONNumber(integer))
        } else if let integer = UInt64(exactly: value) {
            self = .number(JSONNumber(integer))
        } else {
            self = .number(JSONNumber(storage: .text(value.description)))
        }
    }

    /// Creates a number. It is `nil` for infinities and NaN, which JSON cannot represent.
    public init?(_ value: Double) {
        guard let number = JSONNumber(value) else { return nil }
        self = .number(number)
    }

    /// Creates a string.
    public init(_ value: String) { self = .string(value) }

    /// Creates a boolean.
    public init(_ value: Bool) { self = .bool(value) }

    /// Encodes a value. To encode with other strategies, use a ``WireJSONEncoder``.
    ///
    /// - Throws: An `EncodingError` if JSON cannot represent the value, or the error of the value's `encode(to:)`.
    public init(encoding value: some Encodable) throws {
        if let value = value as? JSONValue {
            self = value
        } else {
            try self.init(RawJSON(encoding: value))
        }
    }
}
