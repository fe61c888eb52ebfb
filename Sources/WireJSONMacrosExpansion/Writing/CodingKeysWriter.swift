// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the coding keys that the compiler is to use.
struct CodingKeysWriter {
    private let coded: CodedType

    init(_ coded: CodedType) { self.coded = coded }

    var properties: [CodedProperty] {
        if case .properties(let properties) = coded.content { properties } else { [] }
    }

    private var cases: [CodedCase] {
        if case .cases(let cases) = coded.content { cases } else { [] }
    }

    /// Names of keys with the names in JSON.
    private var names: [(key: String, name: String)] {
        properties.map { ($0.name, $0.key) } + cases.map { ($0.name, $0.key) }
    }

    /// Whether the names differ from those that the compiler would take.
    var areNeeded: Bool { !coded.hasOwnKeys && names.contains { $0.key.plain != $0.name } }

    /// - Parameter isForced: Whether generated code uses the keys.
    func write(to lines: inout Lines, isForced: Bool) {
        guard areNeeded || isForced && !coded.hasOwnKeys else { return }
        lines.block("private enum CodingKeys: String, CodingKey") { lines in
            for (key, name) in names {
                lines.add(key.plain == name ? "case \(key)" : "case \(key) = \(name.literal)")
            }
        }
    }
}
