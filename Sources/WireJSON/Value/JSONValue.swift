// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Any JSON value, as a tree.
///
/// Literals make values, and look-ups read them:
///
/// ```swift
/// let value: JSONValue = ["name": "disk", "sizes": [1, 2.5], "spare": nil]
/// value.sizes?[1]?.doubleValue  // 2.5
/// ```
@dynamicMemberLookup
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// An object's member; nil when there is none, or when this is no object. Setting a member of another value makes
    /// that an object; setting nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { objectValue?[name] }
        set {
            guard case .object(var object) = self else {
                if let newValue { self = .object([name: newValue]) }
                return
            }
            self = .null  // Leaves `object` the only owner of its storage.
            object[name] = newValue
            self = .object(object)
        }
    }

    /// An object's member; nil when there is none, or when this is no object.
    public subscript(dynamicMember name: String) -> JSONValue? {
        get { self[name] }
        set { self[name] = newValue }
    }

    /// An array's element; nil when there is none, or when this is no array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The value, if this is a boolean.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The value, if this is a number.
    public var numberValue: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The value, if this is a number which `Int` holds exactly.
    public var intValue: Int? { numberValue?.int }

    /// The nearest `Double`, if this is a number.
    public var doubleValue: Double? { numberValue?.double }

    /// The value, if this is a string.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, if this is an object.
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
    /// The literal must be finite.
    public init(floatLiteral value: Double) { self = .number(JSONNumber(floatLiteral: value)) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// The last value of a name that comes more than once counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.lazy.map { (key: $0.0, value: $0.1) }))
    }
}

extension JSONValue {
    /// Reads one JSON text.
    ///
    /// - Throws: a ``JSONSyntaxError``.
    public init(parsing bytes: ArraySlice<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        let result = bytes.withUnsafeBytes { text in Result { () throws(JSONSyntaxError) in try Self(text, limits) } }
        self = try result.get()
    }

    /// Reads one JSON text.
    ///
    /// - Throws: a ``JSONSyntaxError``.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        try self.init(parsing: bytes[...], limits: limits)
    }

    /// Reads one JSON text.
    ///
    /// - Throws: a ``JSONSyntaxError``.
    public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// Reads a value.
    ///
    /// - Throws: a ``JSONSyntaxError`` for a string that escapes half of a surrogate pair.
    public init(_ json: RawJSON) throws(JSONSyntaxError) {
        try self.init(parsing: json.bytes, limits: JSONLimits(maximumDepth: JSONLimits.largestMaximumDepth))
    }

    private init(_ text: UnsafeRawBufferPointer, _ limits: JSONLimits) throws(JSONSyntaxError) {
        guard var scanner = JSONScanner(text, limits: limits) else {
            throw JSONSyntaxError(.emptyText, at: 0, in: text)
        }
        do throws(ScanFault) {
            try scanner.beginText()
            self = try scanner.readValue()
            try scanner.endText()
        } catch {
            throw JSONSyntaxError(error, in: text)
        }
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
    /// Writes a value.
    public init(_ value: JSONValue) {
        self.init(unchecked: value.bytes)
    }
}
