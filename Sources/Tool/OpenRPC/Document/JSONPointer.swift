// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A JSON pointer (RFC 6901) as the fragment of a URI reference (§6).
struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    var tokens: [String]

    /// Reads a reference such as `#/components/schemas/Pet`; `nil` if it does not point into the same document.
    init?(reference: String) {
        guard reference == "#" || reference.hasPrefix("#/") else { return nil }
        tokens = []
        for part in reference.dropFirst().split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let text = Self.percentDecoded(part) else { return nil }
            let escapes = text.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
            guard escapes.allSatisfy({ $0.first == "0" || $0.first == "1" }) else { return nil }
            tokens.append(text.replacing("~1", with: "/").replacing("~0", with: "~"))
        }
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.first {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                rest = rest.dropFirst()
                continue
            }
            let digits = rest.dropFirst().prefix(2)
            guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(3)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Returns the value that the pointer refers to; `nil` if it does not exist.
    func value(in document: JSONValue) -> JSONValue? {
        var value = document
        for token in tokens {
            switch value {
            case .object(let members):
                guard let member = members[token] else { return nil }
                value = member
            case .array(let elements):
                guard let index = Int(token), elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    var description: String { "#" + tokens.map { "/\($0)" }.joined() }
}
