// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials

/// Decodes values from JSON bytes.
///
/// A type that works with Foundation's `JSONDecoder` works here. Strategies, defaults and errors are the same, with
/// these exceptions:
///
/// - If a member is repeated, the last one wins. `JSONDecoder` takes the first one.
/// - Numbers too long for a `Double` are not rounded before they become an integer or a `Decimal`.
/// - Descriptions of errors name the path, the line and the column of the value.
///
/// A decoder can be used from several threads at once.
public struct WireJSONDecoder: Sendable {
    /// The form of a date in JSON.
    public enum DateDecodingStrategy: Sendable {
        /// The form that `Date` itself decodes: seconds since the start of 2001.
        case deferredToDate
        /// Seconds since the start of 1970.
        case secondsSince1970
        /// Milliseconds since the start of 1970.
        case millisecondsSince1970
        /// A string with a date and time (RFC 3339).
        case iso8601
        /// A form that the function decodes.
        case custom(@Sendable (_ decoder: any Decoder) throws -> Date)
    }

    /// The form of `Data` in JSON.
    public enum DataDecodingStrategy: Sendable {
        /// The form that `Data` itself decodes: an array of numbers.
        case deferredToData
        /// A Base64 string (RFC 4648 §4).
        case base64
        /// A form that the function decodes.
        case custom(@Sendable (_ decoder: any Decoder) throws -> Data)
    }

    /// The form of infinities and NaN, which JSON numbers cannot represent.
    public enum NonConformingFloatDecodingStrategy: Sendable {
        /// No form. Decoding throws an error.
        case `throw`
        /// These strings.
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// The conversion of members' names to keys.
    public enum KeyDecodingStrategy: Sendable {
        /// No conversion: the names are the keys.
        case useDefaultKeys
        /// `one_two_three` becomes `oneTwoThree`. Underscores at the start and at the end stay.
        case convertFromSnakeCase
        /// The function converts. Its argument is the coding path, which ends with the member's name.
        case custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey)
    }

    /// The reaction to an object that has two members with one name.
    public enum DuplicateMemberStrategy: Sendable {
        /// The last member wins.
        case useLast
        /// Decoding throws ``JSONSyntaxError/Reason/duplicateMember``.
        case refuse
    }

    /// The form of a date in JSON. The default is `.deferredToDate`.
    public var dateDecodingStrategy: DateDecodingStrategy {
        get { options.values.dateDecodingStrategy }
        set { options = options.with { $0.dateDecodingStrategy = newValue } }
    }
    /// The form of `Data` in JSON. The default is `.base64`.
    public var dataDecodingStrategy: DataDecodingStrategy {
        get { options.values.dataDecodingStrategy }
        set { options = options.with { $0.dataDecodingStrategy = newValue } }
    }
    /// The form of infinities and NaN, which JSON numbers cannot represent. The default is `.throw`.
    public var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy {
        get { options.values.nonConformingFloatDecodingStrategy }
        set { options = options.with { $0.nonConformingFloatDecodingStrategy = newValue } }
    }
    /// The conversion of members' names to keys. The default is `.useDefaultKeys`.
    public var keyDecodingStrategy: KeyDecodingStrategy {
        get { options.values.keyDecodingStrategy }
        set { options = options.with { $0.keyDecodingStrategy = newValue } }
    }
    /// The reaction to an object that has two members with one name. The default is `.useLast`.
    public var duplicateMemberStrategy: DuplicateMemberStrategy {
        get { options.values.duplicateMemberStrategy }
        set { options = options.with { $0.duplicateMemberStrategy = newValue } }
    }
    /// The limits for a text. By default, the maximum nesting depth is 512.
    public var limits: JSONLimits {
        get { options.values.limits }
        set { options = options.with { $0.limits = newValue } }
    }
    /// The values that types find in their decoder's `userInfo`. It is empty by default.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { options.values.userInfo }
        set { options = options.with { $0.userInfo = newValue } }
    }

    /// The options, which the decoder shares with its documents.
    private(set) var options: Options

    /// Creates a decoder with the defaults of Foundation's `JSONDecoder`.
    public init() { options = Self.standardOptions }

    /// Decodes a value from one JSON text.
    ///
    /// - Throws: A `DecodingError` if the text is not JSON or does not fit the type, or the error of the type's
    ///   `init(from:)`. If the text is not JSON, the underlying error is a ``JSONSyntaxError``.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try decode(type, from: bytes[...])
    }

    /// Decodes a value from one JSON text in a slice, with the same errors as from an array.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: ArraySlice<UInt8>) throws -> T {
        try unsafe bytes.withUnsafeBytes { unsafe try decode(type, from: $0, source: bytes) }
    }

    /// Decodes a value from one JSON text in `Data`, with the same errors as from an array.
    public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        try unsafe data.withUnsafeBytes { unsafe try decode(type, from: $0, source: nil) }
    }

    /// Decodes a value that is known to be JSON.
    ///
    /// - Throws: A `DecodingError` if the value does not fit the type, or the error of the type's `init(from:)`.
    public func decode<T: Decodable>(_ type: T.Type, from json: RawJSON) throws -> T {
        if type == RawJSON.self { return unsafe unsafeBitCast(json, to: type) }  // The types are the same.
        return try decode(type, from: json.bytes)
    }

    @inline(__always)
    private func decode<T: Decodable>(
        _ type: T.Type, from text: UnsafeRawBufferPointer, source: ArraySlice<UInt8>?
    ) throws -> T {
        try unsafe ScalarText.value(type, from: text, limits: options.values.limits) {
            do {
                return try unsafe decodeDocument(type, from: text, source: source)
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
        guard let scanner = unsafe JSONScanner(text, limits: options.values.limits) else {
            throw unsafe JSONSyntaxError(.emptyText, at: 0, in: text)
        }
        let document = JSONDocument.take(scanner, source: source, options: options)
        do {
            let value = try unsafe decodeDocument(type, from: text, document)
            JSONDocument.end(consume document)
            return value
        } catch {
            JSONDocument.end(consume document)
            throw error
        }
    }

    @inline(__always)
    private func decodeDocument<T: Decodable>(
        _ type: T.Type, from text: UnsafeRawBufferPointer, _ document: JSONDocument
    ) throws -> T {
        let known = document.known(type)
        if let direct = known.direct, var reader = document.directReader() {
            do throws(JSONFallback) {
                let value = try direct.read(type, &reader)
                if reader.isAtEndOfText() { return value }
            } catch {}
            document.readsDirectly = false
        }
        do throws(ScanFault) {
            try document.parse()
        } catch {
            throw unsafe JSONSyntaxError(error, in: text)
        }
        if case .refuse = options.values.duplicateMemberStrategy, let offset = document.firstDuplicateName() {
            throw unsafe JSONSyntaxError(.duplicateMember, at: offset, in: text)
        }
        return try DocumentDecoder(document, at: 0).decode(type, known: known)
    }
}

extension WireJSONDecoder {
    typealias Options = SharedOptions<Values>

    private static let standardOptions = Options(Values())

    struct Values: Sendable {
        var dateDecodingStrategy: DateDecodingStrategy = .deferredToDate
        var dataDecodingStrategy: DataDecodingStrategy = .base64
        var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy = .throw
        var keyDecodingStrategy: KeyDecodingStrategy = .useDefaultKeys
        var duplicateMemberStrategy: DuplicateMemberStrategy = .useLast
        var limits = JSONLimits()
        var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        var convertsNames: Bool {
            if case .useDefaultKeys = keyDecodingStrategy { false } else { true }
        }
        /// Whether no strategy for members is set, so that types can be read directly.
        var readsDirectly: Bool {
            guard case .useLast = duplicateMemberStrategy else { return false }
            return !convertsNames
        }
    }
}
