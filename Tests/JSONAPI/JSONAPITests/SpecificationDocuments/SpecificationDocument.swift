// swift-jsonrpc · SPDX-License-Identifier: MIT

import Testing

/// An example document of the specification's pages, named by its section.
///
/// The structure and the identifiers are those of the specification; prose is not. Fragments are made into documents.
struct SpecificationDocument: Sendable, CustomTestStringConvertible {
    let section: String
    let text: String

    init(_ section: String, _ text: String) {
        self.section = section
        self.text = text
    }

    var testDescription: String { section }

    static let all = format + extensions + examples
}
