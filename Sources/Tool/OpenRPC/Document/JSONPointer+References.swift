// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

extension JSONPointer {
    /// Reads a pointer from the fragment of a URI reference (RFC 6901 §6), such as `#/components/schemas/Pet`; `nil` if
    /// the reference does not point into the same document.
    init?(reference: String) {
        guard reference.hasPrefix("#"), let text = Self.percentDecoded(reference.dropFirst()) else { return nil }
        self.init(parsing: text)
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2).map { Character(Unicode.Scalar($0)).hexDigitValue.map { UInt8($0) } }
            guard digits.count == 2, let high = digits[0], let low = digits[1] else { return nil }
            bytes.append(high << 4 | low)
            rest = rest.dropFirst(2)
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
                guard let index = Self.index(token), elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }
}
