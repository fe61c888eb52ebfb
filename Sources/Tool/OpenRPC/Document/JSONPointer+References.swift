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
        tokens.reduce(document) { value, token in
            value?[token] ?? Self.index(token).flatMap { value?[$0] }
        }
    }
}
