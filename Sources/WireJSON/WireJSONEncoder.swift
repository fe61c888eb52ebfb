// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Encodes values as JSON bytes.
///
/// A type that works with Foundation's `JSONEncoder` works here, with the same strategies and defaults. Members are
/// written in the order in which they are encoded; of members with one name the last counts. A nested container for a
/// name that the object has goes on with that member: an object takes more members, an array more elements. When the
/// member is of another kind, encoding ends with an `EncodingError`. A `super` encoder replaces the member.
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
    public var outputFormatting: OutputFormatting {
        get { options.outputFormatting }
        set { options = options.with { $0.outputFormatting = newValue } }
    }
    /// How dates are written: `.deferredToDate` by default.
    public var dateEncodingStrategy: DateEncodingStrategy {
        get { options.dateEncodingStrategy }
        set { options = options.with { $0.dateEncodingStrategy = newValue } }
    }
    /// How `Data` is written: `.base64` by default.
    public var dataEncodingStrategy: DataEncodingStrategy {
        get { options.dataEncodingStrategy }
        set { options = options.with { $0.dataEncodingStrategy = newValue } }
    }
    /// How floating-point values are written which JSON has no numbers for: `.throw` by default.
    public var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy {
        get { options.nonConformingFloatEncodingStrategy }
        set { options = options.with { $0.nonConformingFloatEncodingStrategy = newValue } }
    }
    /// How keys are turned into members' names: `.useDefaultKeys` by default.
    public var keyEncodingStrategy: KeyEncodingStrategy {
        get { options.keyEncodingStrategy }
        set { options = options.with { $0.keyEncodingStrategy = newValue } }
    }
    /// What types find in their encoder's `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { options.userInfo }
        set { options = options.with { $0.userInfo = newValue } }
    }

    /// Shared by the encoder and the sessions it runs.
    private var options: Options

    /// Makes an encoder with the defaults of Foundation's `JSONEncoder`.
    public init() {
        options = .standard
    }

    /// Makes an encoder.
    package init(outputFormatting: OutputFormatting) {
        options = .standard
        self.outputFormatting = outputFormatting
    }

    /// The encoder of JSON-RPC messages: Foundation's defaults, but slashes stay as they are.
    package static let message = WireJSONEncoder(outputFormatting: .withoutEscapingSlashes)

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
        if options.isPlain, writeWithoutSession(value, into: &bytes) { return }
        let session = EncodingSession.take(options)
        do {
            try session.append(value, step: .none, parent: 0)
            if session.hasFailed, let failure = session.failure { throw failure }
            if options.isPlain {
                bytes.append(contentsOf: session.output.text)
            } else {
                try TextFormatter(options.outputFormatting).format(session.output.text, into: &bytes)
            }
        } catch {
            EncodingSession.end(consume session)
            throw error
        }
        EncodingSession.end(consume session)
    }

    /// Writes a value of a type that needs no more than its text; false when it is of another.
    @inline(__always)
    private func writeWithoutSession<T: Encodable>(_ value: T, into bytes: inout [UInt8]) -> Bool {
        let escapes = options.escapesSlashes
        switch KnownType(scalar: T.self) {
        case .int: JSONText.writeInteger(Int64(same(value, as: Int.self)), into: &bytes)
        case .string: JSONText.writeString(same(value, as: String.self), into: &bytes, escapesSlashes: escapes)
        case .ints: JSONText.writeIntegers(same(value, as: [Int].self), into: &bytes)
        case _ where T.self == RawJSON.self: bytes.append(contentsOf: same(value, as: RawJSON.self).bytes)
        case _ where T.self == JSONValue.self:
            same(value, as: JSONValue.self).write(into: &bytes, escapesSlashes: escapes)
        default: return false
        }
        return true
    }
}

extension WireJSONEncoder {
    /// What is set on an encoder.
    final class Options: Sendable {
        struct Values: Sendable {
            var outputFormatting: OutputFormatting = []
            var dateEncodingStrategy: DateEncodingStrategy = .deferredToDate
            var dataEncodingStrategy: DataEncodingStrategy = .base64
            var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy = .throw
            var keyEncodingStrategy: KeyEncodingStrategy = .useDefaultKeys
            var userInfo: [CodingUserInfoKey: any Sendable] = [:]
        }

        private let values: Values
        let escapesSlashes: Bool
        /// Whether the text needs no indents and no sorting.
        let isPlain: Bool
        let convertsKeys: Bool

        static let standard = Options(Values())

        private init(_ values: Values) {
            self.values = values
            escapesSlashes = !values.outputFormatting.contains(.withoutEscapingSlashes)
            isPlain = values.outputFormatting.isDisjoint(with: [.prettyPrinted, .sortedKeys])
            if case .useDefaultKeys = values.keyEncodingStrategy { convertsKeys = false } else { convertsKeys = true }
        }

        var outputFormatting: OutputFormatting { values.outputFormatting }
        var dateEncodingStrategy: DateEncodingStrategy { values.dateEncodingStrategy }
        var dataEncodingStrategy: DataEncodingStrategy { values.dataEncodingStrategy }
        var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy {
            values.nonConformingFloatEncodingStrategy
        }
        var keyEncodingStrategy: KeyEncodingStrategy { values.keyEncodingStrategy }
        var userInfo: [CodingUserInfoKey: any Sendable] { values.userInfo }

        func with(_ change: (inout Values) -> Void) -> Options {
            var values = values
            change(&values)
            return Options(values)
        }
    }
}
