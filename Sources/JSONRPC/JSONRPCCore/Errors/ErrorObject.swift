// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The error object in an answer to a call (JSON-RPC 2.0 §5.1).
///
/// A call throws the peer's error. A handler throws an error object to answer the peer's call with it.
///
/// Two error objects are equal if their code, message and data are equal. ``method`` and ``isAttributed`` are not
/// compared, because they are not part of the object on the wire.
public struct ErrorObject: Error, Sendable, Hashable {
    /// The kind of error. Any integer is possible.
    public var code: ErrorObject.Code
    /// A sentence for a human reader, unchanged from the peer. If the peer's message is not a string, its JSON text,
    /// shortened to 200 bytes.
    public var message: String
    /// Details of the error, in a form that the peer defines. `nil` if the member is absent; `RawJSON.null` if it is
    /// `null`.
    public var data: RawJSON?
    /// The method of the call that threw this error; `nil` for other errors.
    ///
    /// It is not encoded, and `==` does not compare it.
    public var method: String?
    /// Whether the error had no usable id, and the session attributed it to the call. The default is `false`.
    ///
    /// The peer did not name the call: it was the only one that the error could answer. See
    /// ``Irregularity/callAnsweredWithoutID`` and ``Irregularity/batchAnsweredByError``. It is not encoded, and `==`
    /// does not compare it.
    public var isAttributed = false
    /// The code as the peer wrote it, if ``code`` is not its value. It is not encoded, and `==` does not compare it.
    var writtenCode: String?
    /// The origin of the answer that held the error. It is not encoded, and `==` does not compare it.
    package var origin: (any AnswerOrigin)?

    public init(code: ErrorObject.Code, message: String, data: RawJSON? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Makes an error object whose message is ``ErrorObject/Code/standardMessage``, or empty if the code has no
    /// standard message.
    public init(_ code: ErrorObject.Code, data: RawJSON? = nil) {
        self.init(code: code, message: code.standardMessage ?? "", data: data)
    }
}

extension ErrorObject {
    public static func == (left: ErrorObject, right: ErrorObject) -> Bool {
        left.code == right.code && left.message == right.message && left.data == right.data
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
        hasher.combine(data)
    }
}

extension ErrorObject: CustomStringConvertible {
    /// The code, the ``method`` if it is known, the message, and whether the error ``isAttributed``, on one line.
    /// Control characters are escaped.
    ///
    /// The text omits ``data``, which may be large or confidential.
    public var description: String {
        var text = "error \(writtenCode ?? "\(code.rawValue)")"
        if let method { text += " for `\(method.escapingControls)`" }
        if !message.isEmpty { text += ": " + message.escapingControls }
        if isAttributed { text += " (\(Self.attribution))" }
        return text
    }

    /// The sentence about an error that ``isAttributed``.
    package static var attribution: String {
        "The peer's error has no usable id. It was attributed to this call, because it can concern no other."
    }
}

extension String {
    /// The text with its control characters escaped, because text from a peer must not control a terminal.
    package var escapingControls: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}

extension ErrorObject {
    /// Decodes ``data``. Absent data is decoded as `null`, so an optional type gives `nil`.
    ///
    /// - Throws: A `DecodingError`, or any other error that the type's decoding throws.
    public func data<T: Decodable>(as type: T.Type, using coder: any MessageCoder = .wireJSON) throws -> T {
        try coder.decode(type, from: data ?? .null)
    }
}

extension ErrorObject: Codable {
    private enum CodingKeys: CodingKey { case code, message, data }

    /// Decodes an error object that follows the specification. A session accepts more: see ``Strictness``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(ErrorObject.Code.self, forKey: .code)
        message = try container.decode(String.self, forKey: .message)
        // `decodeIfPresent` would not distinguish `null` from an absent member.
        data = container.contains(.data) ? try container.decode(RawJSON.self, forKey: .data) : nil
    }
}

extension ErrorObject {
    /// The kind of an error in an ``ErrorObject`` (JSON-RPC 2.0 §5.1, `code`).
    ///
    /// Any integer is a code. The specification defines five codes and reserves a range; applications define the
    /// others.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The integer in the member `code`.
        public var rawValue: Int

        /// Makes a code from any integer.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// -32700: the received text is not JSON.
        public static let parseError = ErrorObject.Code(rawValue: -32700)
        /// -32600: the received JSON is not a request.
        public static let invalidRequest = ErrorObject.Code(rawValue: -32600)
        /// -32601: there is no such method.
        public static let methodNotFound = ErrorObject.Code(rawValue: -32601)
        /// -32602: the method does not accept these params.
        public static let invalidParams = ErrorObject.Code(rawValue: -32602)
        /// -32603: the server failed for an internal reason.
        public static let internalError = ErrorObject.Code(rawValue: -32603)

        /// The range for server errors of a JSON-RPC implementation: -32099 to -32000.
        public static let serverErrors: ClosedRange<ErrorObject.Code> =
            ErrorObject.Code(rawValue: -32099)...ErrorObject.Code(rawValue: -32000)
        /// The range that the specification reserves, including the five defined codes and ``serverErrors``: -32768 to
        /// -32000. Applications use codes outside of it.
        public static let reserved: ClosedRange<ErrorObject.Code> =
            ErrorObject.Code(rawValue: -32768)...ErrorObject.Code(rawValue: -32000)

        /// Whether the code is in ``serverErrors``.
        public var isServerError: Bool { Self.serverErrors.contains(self) }

        /// Whether the code is in ``reserved``.
        public var isReserved: Bool { Self.reserved.contains(self) }

        /// The message that the specification gives for the code; `nil` for other codes.
        public var standardMessage: String? {
            switch self {
            case .parseError: "Parse error"
            case .invalidRequest: "Invalid Request"
            case .methodNotFound: "Method not found"
            case .invalidParams: "Invalid params"
            case .internalError: "Internal error"
            case _ where isServerError: "Server error"
            default: nil
            }
        }
    }
}

extension ErrorObject.Code: Comparable {
    public static func < (left: ErrorObject.Code, right: ErrorObject.Code) -> Bool { left.rawValue < right.rawValue }
}

extension ErrorObject.Code: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self.init(rawValue: value) }
}

extension ErrorObject.Code: CustomStringConvertible {
    /// The number.
    public var description: String { String(rawValue) }
}

/// A code is encoded as its number.
extension ErrorObject.Code: Codable {}
