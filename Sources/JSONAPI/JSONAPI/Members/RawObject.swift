// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A JSON object as unparsed bytes, such as the attributes of a resource or meta information.
///
/// An object that was read from a document shares the storage of its bytes, and is written again byte by byte. Two
/// objects are equal if their bytes are equal.
public struct RawObject: Sendable, Hashable {
    /// The object's bytes.
    public let json: RawJSON

    /// Creates an object from bytes that are known to be a JSON object.
    init(unchecked json: RawJSON) { self.json = json }

    /// Creates an object from JSON. It is `nil` if the value is not an object.
    public init?(_ json: RawJSON) {
        guard json.bytes.first == UInt8(ascii: "{") else { return nil }
        self.json = json
    }

    public init(_ object: JSONObject) {
        json = RawJSON(.object(object))
    }

    /// Encodes a value with the defaults of `WireJSONEncoder`. It is `nil` if the value is not encoded as an object.
    ///
    /// - Throws: An `EncodingError` if JSON cannot represent the value, or the error of the value's `encode(to:)`.
    public init?(encoding value: some Encodable) throws {
        self.init(try RawJSON(encoding: value))
    }

    /// The members in their order. If a name is repeated, the last value wins. It takes time proportional to the size.
    ///
    /// Members whose names escape half of a surrogate pair are left out, because no `String` can hold such a name.
    public var members: RawMembers {
        var members = RawMembers()
        // The bytes are known to be JSON, so this throws nothing.
        for (name, value) in (try? json.members()) ?? [] { members[name] = value }
        return members
    }

    /// The value of a member, or `nil` if there is none. It takes time proportional to the size of the object.
    public subscript(name: String) -> RawJSON? { members[name] }

    /// Decodes the object with the defaults of `WireJSONDecoder`.
    ///
    /// - Throws: A `DecodingError` if the object does not fit the type, or the error of the type's `init(from:)`.
    public func decode<T: Decodable>(as type: T.Type = T.self) throws -> T {
        try json.decode(as: type)
    }
}

extension RawObject: ExpressibleByDictionaryLiteral {
    /// Creates an object. If a name is repeated, the last value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(JSONObject(elements.lazy.map { (key: $0.0, value: $0.1) }))
    }
}

extension RawObject: CustomStringConvertible {
    public var description: String { json.text }
}

extension RawObject: Codable, DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        try reader.expectObject(index)
        self.init(unchecked: reader.tree.json(at: index))
    }

    func write(to output: inout JSONOutput) { output.raw(json) }
}
