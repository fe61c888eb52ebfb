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
    public var dateDecodingStrategy: DateDecodingStrategy {
        get { options.dateDecodingStrategy }
        set { options = options.with { $0.dateDecodingStrategy = newValue } }
    }
    /// How `Data` is written: `.base64` by default.
    public var dataDecodingStrategy: DataDecodingStrategy {
        get { options.dataDecodingStrategy }
        set { options = options.with { $0.dataDecodingStrategy = newValue } }
    }
    /// How floating-point values are written which JSON has no numbers for: `.throw` by default.
    public var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy {
        get { options.nonConformingFloatDecodingStrategy }
        set { options = options.with { $0.nonConformingFloatDecodingStrategy = newValue } }
    }
    /// How members' names are turned into keys: `.useDefaultKeys` by default.
    public var keyDecodingStrategy: KeyDecodingStrategy {
        get { options.keyDecodingStrategy }
        set { options = options.with { $0.keyDecodingStrategy = newValue } }
    }
    /// What to do with an object that has two members of one name: `.useLast` by default.
    public var duplicateMemberStrategy: DuplicateMemberStrategy {
        get { options.duplicateMemberStrategy }
        set { options = options.with { $0.duplicateMemberStrategy = newValue } }
    }
    /// What a text may ask of the program.
    public var limits: JSONLimits {
        get { options.limits }
        set { options = options.with { $0.limits = newValue } }
    }
    /// What types find in their decoder's `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { options.userInfo }
        set { options = options.with { $0.userInfo = newValue } }
    }

    /// Shared by the decoder and the documents it makes.
    private var options: Options

    /// Makes a decoder with the defaults of Foundation's `JSONDecoder`.
    public init() {
        options = .standard
    }

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

    @inline(__always)
    private func decode<T: Decodable>(
        _ type: T.Type, from text: UnsafeRawBufferPointer, source: ArraySlice<UInt8>?
    ) throws -> T {
        try ScalarText.value(type, from: text, limits: options.limits) {
            do {
                return try decodeDocument(type, from: text, source: source)
            } catch let error as JSONSyntaxError {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: [], debugDescription: error.description, underlyingError: error))
            }
        }
    }

    @inline(__always)
    private func decodeDocument<T: Decodable>(
        _ type: T.Type, from text: UnsafeRawBufferPointer, source: ArraySlice<UInt8>?
    ) throws -> T {
        var document = try JSONDocument.take(text, source: source, options: options)
        defer { JSONDocument.end(&document) }
        if case .refuse = options.duplicateMemberStrategy, let offset = document.firstDuplicateName() {
            throw JSONSyntaxError(.duplicateMember, at: offset, in: text)
        }
        return try DocumentDecoder(document, at: 0).decode(type)
    }
}

extension WireJSONDecoder {
    /// What is set on a decoder.
    final class Options: Sendable {
        struct Values: Sendable {
            var dateDecodingStrategy: DateDecodingStrategy = .deferredToDate
            var dataDecodingStrategy: DataDecodingStrategy = .base64
            var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy = .throw
            var keyDecodingStrategy: KeyDecodingStrategy = .useDefaultKeys
            var duplicateMemberStrategy: DuplicateMemberStrategy = .useLast
            var limits = JSONLimits()
            var userInfo: [CodingUserInfoKey: any Sendable] = [:]
        }

        private let values: Values
        let convertsNames: Bool
        let limits: JSONLimits

        static let standard = Options(Values())

        private init(_ values: Values) {
            self.values = values
            limits = values.limits
            if case .useDefaultKeys = values.keyDecodingStrategy { convertsNames = false } else { convertsNames = true }
        }

        var dateDecodingStrategy: DateDecodingStrategy { values.dateDecodingStrategy }
        var dataDecodingStrategy: DataDecodingStrategy { values.dataDecodingStrategy }
        var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy {
            values.nonConformingFloatDecodingStrategy
        }
        var keyDecodingStrategy: KeyDecodingStrategy { values.keyDecodingStrategy }
        var duplicateMemberStrategy: DuplicateMemberStrategy { values.duplicateMemberStrategy }
        var userInfo: [CodingUserInfoKey: any Sendable] { values.userInfo }

        func with(_ change: (inout Values) -> Void) -> Options {
            var values = values
            change(&values)
            return Options(values)
        }
    }
}
