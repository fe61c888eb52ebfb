// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The id of a request, which its response repeats (JSON-RPC 2.0 §4, `id`).
///
/// `1` and `"1"` are different ids. `null` is not a request id: it occurs only in error responses.
public enum RequestID: Sendable, Hashable {
    /// An integer. The specification discourages numbers with a fraction, and this type has none.
    case number(Int64)
    /// A string. Its quotes and escapes are removed.
    case string(String)
}

extension RequestID: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) { self = .number(value) }

    public init(stringLiteral value: String) { self = .string(value) }
}

extension RequestID: CustomStringConvertible {
    /// The id as JSON, `1` or `"1"`, so that numbers and strings can be distinguished in a log.
    public var description: String {
        var text: [UInt8] = []
        write(into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    package func write(into bytes: inout [UInt8]) {
        switch self {
        case .number(let number): JSONText.writeInteger(number, into: &bytes)
        case .string(let text): JSONText.writeString(text, into: &bytes)
        }
    }
}

extension RequestID: Codable {
    /// Decodes a JSON integer or a JSON string.
    ///
    /// - Throws: A `DecodingError` for all other values, including `null`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .string(text)
        } else {
            self = .number(try container.decode(Int64.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        }
    }
}

extension RequestID {
    /// The id of the other type with the same text: `"7"` for `7`, and `7` for `"7"`. `nil` for strings that are not
    /// the canonical form of an integer, such as `"07"`, `"+7"` and `"7.0"`.
    ///
    /// It identifies responses of peers that change the type of an id; see ``Irregularity/stringForNumberID``.
    public var counterpart: RequestID? {
        switch self {
        case .number(let number): return .string(String(number))
        case .string(let text):
            guard let number = Int64(text), String(number) == text else { return nil }
            return .number(number)
        }
    }
}
