// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import WireJSON

extension JSONPointer {
    /// Reads a pointer from the fragment of a URI reference (RFC 6901 §6), such as `#/components/schemas/Pet`; `nil` if
    /// the reference does not point into the same document.
    init?(reference: String) {
        guard reference.hasPrefix("#"), let text = String(percentEncoded: reference.dropFirst()) else { return nil }
        self.init(parsing: text)
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
