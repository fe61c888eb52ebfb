// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Encodes values as JSON bytes.
///
/// A type that works with Foundation's `JSONEncoder` works here, with the same strategies and defaults. Members are
/// written in the order in which they are encoded; of members with one name the last counts.
public struct WireJSONEncoder: Sendable {
    /// How the text looks.
    public struct OutputFormatting: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Lines and indents of two spaces.
        public static let prettyPrinted = OutputFormatting(rawValue: 1)
        /// Members in the order of their names, by Unicode code points.
        public static let sortedKeys = OutputFormatting(rawValue: 2)
        /// `/` instead of `\/`.
        public static let withoutEscapingSlashes = OutputFormatting(rawValue: 8)
    }

    /// How dates are written.
    public enum DateEncodingStrategy: Sendable {
        /// As `Date` encodes itself: seconds since the start of 2001.
        case deferredToDate
        /// Seconds since the start of 1970.
        case secondsSince1970
        /// Milliseconds since the start of 1970.
        case millisecondsSince1970
        /// An internet date and time (RFC 3339), in whole seconds.
        case iso8601
        /// As a function writes them; one that writes nothing makes an empty object.
        case custom(@Sendable (_ date: Date, _ encoder: any Encoder) throws -> Void)
    }

    /// How `Data` is written.
    public enum DataEncodingStrategy: Sendable {
        /// As `Data` encodes itself: an array of numbers.
        case deferredToData
        /// A string in Base64 (RFC 4648 §4).
        case base64
        /// As a function writes it; one that writes nothing makes an empty object.
        case custom(@Sendable (_ data: Data, _ encoder: any Encoder) throws -> Void)
    }

    /// How floating-point values are written which JSON has no numbers for.
    public enum NonConformingFloatEncodingStrategy: Sendable {
        /// Not at all.
        case `throw`
        /// As these strings.
        case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// How keys are turned into members' names.
    public enum KeyEncodingStrategy: Sendable {
        /// They are the names.
        case useDefaultKeys
        /// `oneTwoThree` becomes `one_two_three`.
        case convertToSnakeCase
        /// As a function does. It gets the path that ends with the key.
        case custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey)
    }

    /// How the text looks: compact by default, in the order of encoding, slashes escaped.
    public var outputFormatting: OutputFormatting = []
    /// How dates are written: `.deferredToDate` by default.
    public var dateEncodingStrategy: DateEncodingStrategy = .deferredToDate
    /// How `Data` is written: `.base64` by default.
    public var dataEncodingStrategy: DataEncodingStrategy = .base64
    /// How floating-point values are written which JSON has no numbers for: `.throw` by default.
    public var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy = .throw
    /// How keys are turned into members' names: `.useDefaultKeys` by default.
    public var keyEncodingStrategy: KeyEncodingStrategy = .useDefaultKeys
    /// What types find in their encoder's `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Makes an encoder with the defaults of Foundation's `JSONEncoder`.
    public init() {}

    /// Makes an encoder.
    package init(outputFormatting: OutputFormatting) {
        self.outputFormatting = outputFormatting
    }

    /// Encodes a value as one JSON text.
    ///
    /// - Throws: an `EncodingError`, or what the value's own encoding throws.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try encode(value, into: &bytes)
        return bytes
    }

    /// Encodes a value as one JSON text.
    ///
    /// - Throws: an `EncodingError`, or what the value's own encoding throws.
    @_disfavoredOverload
    public func encode(_ value: some Encodable) throws -> Data {
        Data(try encode(value) as [UInt8])
    }

    /// Encodes a value as one JSON text at the end of a buffer, which stays as it was when encoding fails.
    ///
    /// - Throws: an `EncodingError`, or what the value's own encoding throws.
    public func encode<T: Encodable>(_ value: T, into bytes: inout [UInt8]) throws {
        let options = Options(self)
        if options.formatting.isDisjoint(with: [.prettyPrinted, .sortedKeys]),
            PlainValue.append(value, to: &bytes, escapesSlashes: options.escapesSlashes)
        {
            return
        }
        let session = EncodingSession(options: options)
        try session.append(value, step: .none, parent: 0)
        if let failure = session.failure { throw failure }
        if options.formatting.isDisjoint(with: [.prettyPrinted, .sortedKeys]) {
            bytes.append(contentsOf: session.output.text)
        } else {
            try TextFormatter(options.formatting).format(session.output.text, into: &bytes)
        }
    }
}

extension WireJSONEncoder {
    /// The strategies, as a session keeps them.
    struct Options {
        var formatting: OutputFormatting
        var escapesSlashes: Bool
        var dateEncodingStrategy: DateEncodingStrategy
        var dataEncodingStrategy: DataEncodingStrategy
        var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy
        var keyEncodingStrategy: KeyEncodingStrategy
        var convertsKeys: Bool
        var userInfo: [CodingUserInfoKey: any Sendable]

        init(_ encoder: WireJSONEncoder) {
            formatting = encoder.outputFormatting
            escapesSlashes = !formatting.contains(.withoutEscapingSlashes)
            dateEncodingStrategy = encoder.dateEncodingStrategy
            dataEncodingStrategy = encoder.dataEncodingStrategy
            nonConformingFloatEncodingStrategy = encoder.nonConformingFloatEncodingStrategy
            keyEncodingStrategy = encoder.keyEncodingStrategy
            if case .useDefaultKeys = keyEncodingStrategy { convertsKeys = false } else { convertsKeys = true }
            userInfo = encoder.userInfo
        }
    }
}
