// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The error with which a peer answers a call (JSON-RPC 2.0 §5.1).
///
/// A call throws the peer's error. A handler throws an error object to answer the peer's call with it.
///
/// Two error objects are equal if code, message and data are: ``method`` is not a part of the object on the wire, so
/// that the peer's error equals `ErrorObject(.methodNotFound)`.
public struct ErrorObject: Error, Sendable, Hashable {
    /// The kind of error. Any integer is possible.
    public var code: ErrorCode
    /// A sentence for a human reader, as the peer wrote it.
    public var message: String
    /// More about the error, in a form which the peer defines. `nil` if the member is absent; a member that is `null`
    /// is `RawJSON.null`.
    public var data: RawJSON?
    /// The method of the call that threw this error; `nil` for an error that no call has thrown.
    ///
    /// It is not encoded, and `==` does not compare it.
    public var method: String?

    /// The same error, as thrown by a call of a method.
    package func answering(_ method: String) -> ErrorObject {
        var error = self
        if error.method == nil { error.method = method }
        return error
    }

    public init(code: ErrorCode, message: String, data: RawJSON? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// An error with the specification's own words as its message, or an empty one where it has none.
    public init(_ code: ErrorCode, data: RawJSON? = nil) {
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
    /// One line: the code, the ``method`` if it is known, and the message, with control characters escaped.
    ///
    /// ``data`` is left out, because it may be large or confidential.
    public var description: String {
        var text = "error \(code.rawValue)"
        if let method { text += " for `\(method.escapingControls)`" }
        if !message.isEmpty { text += ": " + message.escapingControls }
        return text
    }
}

extension String {
    /// The text with its control characters escaped: what a peer says must not drive a terminal.
    package var escapingControls: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}

extension ErrorObject {
    /// Decodes ``data``. Absent data is decoded as `null`, which gives nil for an optional type.
    ///
    /// - Throws: a `DecodingError`, or what the type's own decoding throws.
    public func data<T: Decodable>(as type: T.Type, using coder: any MessageCoder = .wireJSON) throws -> T {
        try coder.decode(type, from: data ?? .null)
    }
}

extension ErrorObject: Codable {
    private enum CodingKeys: CodingKey { case code, message, data }

    /// Reads an error object as the specification says it must be. A session is more tolerant of what a peer sends:
    /// see ``Strictness``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(ErrorCode.self, forKey: .code)
        message = try container.decode(String.self, forKey: .message)
        // Not `decodeIfPresent`: it makes no difference between `null` and no member.
        data = container.contains(.data) ? try container.decode(RawJSON.self, forKey: .data) : nil
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code, forKey: .code)
        try container.encode(message, forKey: .message)
        try container.encodeIfPresent(data, forKey: .data)
    }
}
