// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// What a peer answers when a call failed on its side (JSON-RPC 2.0 §5.1).
///
/// A call throws it as it came; a handler of the peer's calls throws one to answer with it.
public struct ErrorObject: Error, Sendable, Hashable {
    /// The kind of error.
    public var code: ErrorCode
    /// One sentence for a human reader.
    public var message: String
    /// More about the error, in a form which the peer defines. `nil` when the member is
    /// absent; `RawJSON.null` when it is `null`.
    public var data: RawJSON?

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

extension ErrorObject: CustomStringConvertible {
    /// One line: the code and the message, with control characters escaped. ``data`` is left out, since it may be
    /// large and may hold what does not belong in a log.
    public var description: String {
        var text = "error \(code.rawValue)"
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
    /// Decodes ``data``. Where there is none, `null` is decoded: that gives nil for an optional type.
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
        data = container.contains(.data) ? try container.decode(RawJSON.self, forKey: .data) : nil
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code, forKey: .code)
        try container.encode(message, forKey: .message)
        try container.encodeIfPresent(data, forKey: .data)
    }
}
