// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The id that links a response to its request (JSON-RPC 2.0 §4, `id`).
///
/// `1` and `"1"` are different ids. `null` is not an id of a request: it occurs only in error responses.
public enum RequestID: Sendable, Hashable {
    /// An integer. The specification discourages numbers with a fraction, and this type has none.
    case number(Int64)
    /// A string, without its quotes and escapes.
    case string(String)
}

extension RequestID: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) { self = .number(value) }

    public init(stringLiteral value: String) { self = .string(value) }
}

extension RequestID: CustomStringConvertible {
    /// The id as JSON, `1` or `"1"`, so that a log shows which it is.
    public var description: String {
        var text: [UInt8] = []
        write(into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Writes the id as JSON.
    package func write(into bytes: inout [UInt8]) {
        switch self {
        case .number(let number): JSONText.writeInteger(number, into: &bytes)
        case .string(let text): JSONText.writeString(text, into: &bytes)
        }
    }
}

extension RequestID: Codable {
    /// Reads a JSON integer or a JSON string; throws `DecodingError` for anything else, `null` included.
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
    /// The id of the other type with the same text: `"7"` for `7`, and `7` for `"7"`. `nil` for a string that is not an
    /// integer in its shortest form, such as `"07"`, `"+7"` or `"7.0"`.
    ///
    /// It recognises a peer that changes the type of an id on the way back: see ``Irregularity/stringForNumberID``.
    public var counterpart: RequestID? {
        switch self {
        case .number(let number): return .string(String(number))
        case .string(let text):
            guard let number = Int64(text), String(number) == text else { return nil }
            return .number(number)
        }
    }
}
