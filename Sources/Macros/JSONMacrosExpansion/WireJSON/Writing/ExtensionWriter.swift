// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the extensions of a type with `@JSONCodable`.
struct ExtensionWriter {
    let coded: CodedType
    let type: String
    /// The protocols that the type does not declare itself.
    let conformances: [String]

    private var access: String { coded.memberModifier }

    /// Whether `Codable` requires an object. It does not for a structure without members.
    private var isDirect: Bool {
        if case .properties(let properties) = coded.content { return !properties.isEmpty }
        return true
    }

    var extensions: [String] {
        guard isDirect else { return codable() }
        let codable = CodableWriter(coded: coded)
        let direct = DirectWriter(coded: coded)
        return [
            names(),
            writing("Swift.Decodable", "init(from decoder: any Swift.Decoder) throws", codable.writeDecoding),
            writing("Swift.Encodable", "func encode(to encoder: any Swift.Encoder) throws", codable.writeEncoding),
            !conformances.contains("JSONReadable")
                ? nil
                : writing(
                    "WireJSON.JSONReadable",
                    "init(reading reader: inout WireJSON.JSONReader) throws(WireJSON.JSONFallback)",
                    direct.writeReading),
            !conformances.contains("JSONWritable")
                ? nil
                : writing(
                    "WireJSON.JSONWritable",
                    "func write(to writer: inout WireJSON.JSONWriter) throws(WireJSON.JSONFallback)",
                    direct.writeWriting),
        ].compactMap { $0 }
    }

    /// An extension of the type.
    private func block(_ rest: String, _ body: (inout CodeText) -> Void) -> String {
        var lines = CodeText()
        for attribute in coded.availability { lines.line(attribute) }
        lines.block("\(coded.extensionModifier)extension \(type)\(rest)", body)
        return lines.text
    }

    /// An extension that implements the requirement of a protocol.
    private func writing(_ name: String, _ requirement: String, _ body: (inout CodeText) -> Void) -> String {
        let plain = name.split(separator: ".").last.map(String.init) ?? name
        let conformance = conformances.contains(plain) ? ": \(name)" : ""
        // An unconditional conformance of the type applies to all arguments.
        let condition = coded.declaredConformances.contains(plain) ? "" : condition(name)
        return block("\(conformance)\(condition)") { lines in
            if coded.hasDeprecatedMembers { lines.line("@available(*, deprecated)") }
            lines.block("\(access)\(requirement)", body)
        }
    }

    private func condition(_ name: String) -> String {
        guard !coded.dependencies.isEmpty else { return "" }
        // Conformances that are neither missing nor declared here are in another extension, which may require both.
        let others = Set(["Decodable", "Encodable"]).subtracting(coded.declaredConformances).subtracting(conformances)
        let needed = others.isEmpty ? name : "\(name) & Swift.Codable"
        return " where " + coded.dependencies.map { "\($0): \(needed)" }.joined(separator: ", ")
    }

    /// For a structure without members, the compiler writes the coding.
    private func codable() -> [String] {
        let missing = ["Decodable", "Encodable"].filter(conformances.contains).map { "Swift.\($0)" }
        return missing.isEmpty ? [] : [block(": \(missing.joined(separator: ", "))") { _ in }]
    }

    // MARK: Names

    /// The declarations of names for coders, readers and writers.
    private func names() -> String? {
        guard let names = memberNames else { return nil }
        return block("") { lines in
            if !coded.hasOwnKeys, let keys = coded.content.keys { writeKeys("CodingKeys", keys, to: &lines) }
            if case .texts = coded.content, coded.hasDeprecatedMembers { lines.line("@available(*, deprecated)") }
            write("jsonMemberNames", names, to: &lines)
            guard case .cases(let cases) = coded.content,
                cases.contains(where: { !$0.values.isEmpty || !$0.hasOwnKeys })
            else { return }
            lines.block("private enum JSONValueNames") { lines in
                for coded in cases where !coded.hasOwnKeys {
                    writeKeys(coded.keysName, coded.values.map { ($0.name.identifier, $0.key) }, to: &lines)
                }
                for (index, coded) in cases.enumerated() where !coded.values.isEmpty {
                    write("case\(index)", coded.values.map(\.key.literal), to: &lines)
                }
            }
        }
    }

    /// The source text of the names of the members, or `nil` for raw values that are no texts.
    private var memberNames: [String]? {
        // Another extension can define `rawValue`.
        if case .texts(let texts) = coded.content { return texts.map { "Self.\($0).rawValue" } }
        return coded.content.keys?.map(\.key.literal)
    }

    private func writeKeys(_ keysName: String, _ keys: [(name: String, key: String)], to lines: inout CodeText) {
        guard !keys.isEmpty else { return lines.line("enum \(keysName): Swift.CodingKey {}") }
        let access = keysName == "CodingKeys" ? "private " : ""
        lines.block("\(access)enum \(keysName): Swift.String, Swift.CodingKey") { lines in
            for (name, key) in keys {
                // Equal strings can have different bytes.
                let isSame = name.plain.utf8.elementsEqual(key.utf8)
                lines.line(isSame ? "case \(name)" : "case \(name) = \(key.literal)")
            }
        }
    }

    private func write(_ table: String, _ names: [String], to lines: inout CodeText) {
        let made = "WireJSON.JSONMemberNames(\(names.joined(separator: ", ")))"
        guard coded.isGeneric else {
            // `private` in the extension would hide it from the other extensions.
            return lines.line("fileprivate static let \(table) = \(made)")
        }
        lines.block("fileprivate static var \(table): WireJSON.JSONMemberNames") {
            $0.line(".shared(by: Self.self, as: \(table.literal), \(made))")
        }
    }
}
