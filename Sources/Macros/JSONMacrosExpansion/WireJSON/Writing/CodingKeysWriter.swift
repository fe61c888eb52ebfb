// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the coding keys that the type does not declare itself.
struct CodingKeysWriter {
    private let coded: CodedType

    init(_ coded: CodedType) { self.coded = coded }

    func write(to lines: inout CodeText) {
        guard !coded.hasOwnKeys else { return }
        switch coded.content {
        case .properties(let properties): write("CodingKeys", properties.map { ($0.name, $0.key) }, to: &lines)
        case .cases(let cases): write("CodingKeys", cases.map { ($0.name, $0.key) }, to: &lines)
        case .texts, .rawValues: break
        }
    }

    /// Writes the keys of a case's values.
    func write(_ coded: CodedCase, to lines: inout CodeText) {
        guard !coded.hasOwnKeys else { return }
        write(coded.keysName, coded.values.map { ($0.name.identifier, $0.key) }, to: &lines)
    }

    private func write(_ name: String, _ keys: [(key: String, name: String)], to lines: inout CodeText) {
        guard !keys.isEmpty else { return lines.line("enum \(name): Swift.CodingKey {}") }
        let access = name == "CodingKeys" ? "private " : ""
        lines.block("\(access)enum \(name): Swift.String, Swift.CodingKey") { lines in
            for (key, name) in keys {
                // Strings that are equal can have other bytes.
                let isSame = key.plain.utf8.elementsEqual(name.utf8)
                lines.line(isSame ? "case \(key)" : "case \(key) = \(name.literal)")
            }
        }
    }
}
