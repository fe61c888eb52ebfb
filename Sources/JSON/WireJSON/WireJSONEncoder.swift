// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials

/// Encodes values as JSON bytes.
///
/// A type that works with Foundation's `JSONEncoder` works here, with the same strategies and defaults. Members are
/// written in the order in which they are encoded. If a name is encoded twice, the last value wins.
///
/// If a nested container is requested for a name that the object already has, it continues that member: an object takes
/// more members, an array more elements. If the member is of another kind, encoding throws an `EncodingError`. A
/// `super` encoder replaces the member.
///
/// An encoder can be used from several threads at once.
public struct WireJSONEncoder: Sendable {
    /// The layout of the text.
    public struct OutputFormatting: OptionSet, Hashable, Sendable {
        /// The options as bits.
        public let rawValue: UInt

        /// Creates options from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Each member and element is on its own line, indented by two spaces per level.
        public static let prettyPrinted = OutputFormatting(rawValue: 1)
        /// Members are sorted by the Unicode code points of their names.
        public static let sortedKeys = OutputFormatting(rawValue: 2)
        /// `/` is written unescaped, not as `\/`.
        public static let withoutEscapingSlashes = OutputFormatting(rawValue: 8)
    }

    /// The form of a date in JSON.
    public enum DateEncodingStrategy: Sendable {
        /// The form that `Date` itself encodes: seconds since the start of 2001.
        case deferredToDate
        /// Seconds since the start of 1970.
        case secondsSince1970
        /// Milliseconds since the start of 1970.
        case millisecondsSince1970
        /// A string with a date and time (RFC 3339), in whole seconds.
        case iso8601
        /// A form that the function encodes. If it encodes nothing, the value is an empty object.
        case custom(@Sendable (_ date: Date, _ encoder: any Encoder) throws -> Void)
    }

    /// The form of `Data` in JSON.
    public enum DataEncodingStrategy: Sendable {
        /// The form that `Data` itself encodes: an array of numbers.
        case deferredToData
        /// A Base64 string (RFC 4648 §4).
        case base64
        /// A form that the function encodes. If it encodes nothing, the value is an empty object.
        case custom(@Sendable (_ data: Data, _ encoder: any Encoder) throws -> Void)
    }

    /// The form of infinities and NaN, which JSON numbers cannot represent.
    public enum NonConformingFloatEncodingStrategy: Sendable {
        /// No form. Encoding throws an error.
        case `throw`
        /// These strings.
        case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// The conversion of keys to members' names.
    public enum KeyEncodingStrategy: Sendable {
        /// No conversion: the keys are the names.
        case useDefaultKeys
        /// `oneTwoThree` becomes `one_two_three`.
        case convertToSnakeCase
        /// The function converts. Its argument is the coding path, which ends with the key.
        case custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey)
    }

    /// The layout of the text. The default is compact, in the order of encoding, with escaped slashes.
    public var outputFormatting: OutputFormatting {
        get { options.values.outputFormatting }
        set { options = options.with { $0.outputFormatting = newValue } }
    }
    /// The form of a date in JSON. The default is `.deferredToDate`.
    public var dateEncodingStrategy: DateEncodingStrategy {
        get { options.values.dateEncodingStrategy }
        set { options = options.with { $0.dateEncodingStrategy = newValue } }
    }
    /// The form of `Data` in JSON. The default is `.base64`.
    public var dataEncodingStrategy: DataEncodingStrategy {
        get { options.values.dataEncodingStrategy }
        set { options = options.with { $0.dataEncodingStrategy = newValue } }
    }
    /// The form of infinities and NaN, which JSON numbers cannot represent. The default is `.throw`.
    public var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy {
        get { options.values.nonConformingFloatEncodingStrategy }
        set { options = options.with { $0.nonConformingFloatEncodingStrategy = newValue } }
    }
    /// The conversion of keys to members' names. The default is `.useDefaultKeys`.
    public var keyEncodingStrategy: KeyEncodingStrategy {
        get { options.values.keyEncodingStrategy }
        set { options = options.with { $0.keyEncodingStrategy = newValue } }
    }
    /// The values that types find in their encoder's `userInfo`. It is empty by default.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { options.values.userInfo }
        set { options = options.with { $0.userInfo = newValue } }
    }

    /// The options, which the encoder shares with its sessions.
    private var options: Options

    /// Creates an encoder with the defaults of Foundation's `JSONEncoder`.
    public init() { options = Self.standardOptions }

    /// An encoder with Foundation's defaults, except that it does not escape slashes.
    package static let plainSlashes: WireJSONEncoder = {
        var encoder = WireJSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }()

    /// Encodes a value as one JSON text.
    ///
    /// - Throws: An `EncodingError` if JSON cannot represent the value, or the error of the value's `encode(to:)`.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try encode(value, into: &bytes)
        return bytes
    }

    /// Encodes a value as one JSON text in `Data`, with the same errors as to an array.
    @_disfavoredOverload
    public func encode(_ value: some Encodable) throws -> Data { Data(try encode(value) as [UInt8]) }

    /// Encodes a value as one JSON text and appends it to a buffer. If encoding fails, the buffer does not change.
    ///
    /// - Throws: An `EncodingError` if JSON cannot represent the value, or the error of the value's `encode(to:)`.
    public func encode<T: Encodable>(_ value: T, into bytes: inout [UInt8]) throws {
        if options.values.isPlain, writeWithoutSession(value, into: &bytes) { return }
        let session = EncodingSession.take(options)
        do {
            if !session.writeRootDirectly(value) { try session.append(value, step: .none, parent: 0) }
            if session.hasFailed, let failure = session.failure { throw failure }
            if options.values.isPlain {
                unsafe bytes.append(contentsOf: session.output.text)
            } else {
                try unsafe TextFormatter(options.values.outputFormatting).format(session.output.text, into: &bytes)
            }
        } catch {
            EncodingSession.end(consume session)
            throw error
        }
        EncodingSession.end(consume session)
    }

    /// Writes a value of a type that needs no container. It returns false for other types.
    @inline(__always)
    private func writeWithoutSession<T: Encodable>(_ value: T, into bytes: inout [UInt8]) -> Bool {
        let escapes = options.values.escapesSlashes
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
    typealias Options = SharedOptions<Values>

    private static let standardOptions = Options(Values())

    struct Values: Sendable {
        var outputFormatting: OutputFormatting = []
        var dateEncodingStrategy: DateEncodingStrategy = .deferredToDate
        var dataEncodingStrategy: DataEncodingStrategy = .base64
        var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy = .throw
        var keyEncodingStrategy: KeyEncodingStrategy = .useDefaultKeys
        var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        var escapesSlashes: Bool { !outputFormatting.contains(.withoutEscapingSlashes) }
        /// Whether the text is neither indented nor sorted.
        var isPlain: Bool { outputFormatting.isDisjoint(with: [.prettyPrinted, .sortedKeys]) }
        var convertsKeys: Bool {
            if case .useDefaultKeys = keyEncodingStrategy { false } else { true }
        }
    }
}
