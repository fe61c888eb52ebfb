// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes values from JSON bytes.
///
/// A type that works with Foundation's `JSONDecoder` works here: strategies, defaults and errors are the same. Where
/// the two differ: of members with one name the last counts (Foundation's takes the first), numbers too long for a
/// `Double` are not rounded on the way to an integer or a `Decimal`, and the errors' descriptions tell byte, line and
/// column.
public struct WireJSONDecoder: Sendable {
    /// How dates are written.
    public enum DateDecodingStrategy: Sendable {
        /// As `Date` decodes itself: seconds since the start of 2001.
        case deferredToDate
        /// Seconds since the start of 1970.
        case secondsSince1970
        /// Milliseconds since the start of 1970.
        case millisecondsSince1970
        /// An internet date and time (RFC 3339).
        case iso8601
        /// As a function reads them.
        case custom(@Sendable (_ decoder: any Decoder) throws -> Date)
    }

    /// How `Data` is written.
    public enum DataDecodingStrategy: Sendable {
        /// As `Data` decodes itself: an array of numbers.
        case deferredToData
        /// A string in Base64 (RFC 4648 §4).
        case base64
        /// As a function reads it.
        case custom(@Sendable (_ decoder: any Decoder) throws -> Data)
    }

    /// How floating-point values are written which JSON has no numbers for.
    public enum NonConformingFloatDecodingStrategy: Sendable {
        /// Not at all.
        case `throw`
        /// As these strings.
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// How members' names are turned into keys.
    public enum KeyDecodingStrategy: Sendable {
        /// They are the keys.
        case useDefaultKeys
        /// `one_two_three` becomes `oneTwoThree`; underscores at the start and end stay.
        case convertFromSnakeCase
        /// As a function does. It gets the path that ends with the member's name.
        case custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey)
    }

    /// What to do with an object that has two members of one name.
    public enum DuplicateMemberStrategy: Sendable {
        /// The last counts.
        case useLast
        /// The text is refused.
        case refuse
    }

    /// How dates are written: `.deferredToDate` by default.
    public var dateDecodingStrategy: DateDecodingStrategy = .deferredToDate
    /// How `Data` is written: `.base64` by default.
    public var dataDecodingStrategy: DataDecodingStrategy = .base64
    /// How floating-point values are written which JSON has no numbers for: `.throw` by default.
    public var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy = .throw
    /// How members' names are turned into keys: `.useDefaultKeys` by default.
    public var keyDecodingStrategy: KeyDecodingStrategy = .useDefaultKeys
    /// What to do with an object that has two members of one name: `.useLast` by default.
    public var duplicateMemberStrategy: DuplicateMemberStrategy = .useLast
    /// What a text may ask of the program.
    public var limits = JSONLimits()
    /// What types find in their decoder's `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Makes a decoder with the defaults of Foundation's `JSONDecoder`.
    public init() {}

    /// Decodes a value from one JSON text.
    ///
    /// - Throws: a `DecodingError`, or what the type's own decoding throws.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try decode(type, from: bytes[...])
    }

    /// Decodes a value from one JSON text.
    ///
    /// - Throws: a `DecodingError`, or what the type's own decoding throws.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: ArraySlice<UInt8>) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0, source: bytes) }
    }

    /// Decodes a value from one JSON text.
    ///
    /// - Throws: a `DecodingError`, or what the type's own decoding throws.
    public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        try data.withUnsafeBytes { try decode(type, from: $0, source: nil) }
    }

    /// Decodes a value.
    ///
    /// - Throws: a `DecodingError`, or what the type's own decoding throws.
    public func decode<T: Decodable>(_ type: T.Type, from json: RawJSON) throws -> T {
        if type == RawJSON.self { return unsafeBitCast(json, to: type) }  // The types are the same.
        return try decode(type, from: json.bytes)
    }

    private func decode<T: Decodable>(
        _ type: T.Type, from text: UnsafeRawBufferPointer, source: ArraySlice<UInt8>?
    ) throws -> T {
        do {
            if let value = ScalarText.value(type, from: text, limits: limits) { return value }
            var document = try JSONDocument(text, source: source, options: Options(self))
            defer { if !isKnownUniquelyReferenced(&document) { document.keepText() } }
            if case .refuse = duplicateMemberStrategy, let offset = document.firstDuplicateName() {
                throw JSONSyntaxError(.duplicateMember, at: offset, in: text)
            }
            return try DocumentDecoder(document, at: 0).decode(type)
        } catch let error as JSONSyntaxError {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: error.description, underlyingError: error))
        }
    }
}

extension WireJSONDecoder {
    /// The strategies, as a document keeps them.
    struct Options {
        var dateDecodingStrategy: DateDecodingStrategy
        var dataDecodingStrategy: DataDecodingStrategy
        var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy
        var keyDecodingStrategy: KeyDecodingStrategy
        var convertsNames: Bool
        var limits: JSONLimits
        var userInfo: [CodingUserInfoKey: any Sendable]

        init(_ decoder: WireJSONDecoder) {
            dateDecodingStrategy = decoder.dateDecodingStrategy
            dataDecodingStrategy = decoder.dataDecodingStrategy
            nonConformingFloatDecodingStrategy = decoder.nonConformingFloatDecodingStrategy
            keyDecodingStrategy = decoder.keyDecodingStrategy
            if case .useDefaultKeys = keyDecodingStrategy { convertsNames = false } else { convertsNames = true }
            limits = decoder.limits
            userInfo = decoder.userInfo
        }
    }
}
