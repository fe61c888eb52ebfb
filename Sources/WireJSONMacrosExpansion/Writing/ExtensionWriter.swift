// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the extensions of a type with `@JSONCodable`.
struct ExtensionWriter {
    private let coded: CodedType
    private let type: String
    /// The protocols that the type does not declare itself.
    private let conformances: [String]

    init(_ coded: CodedType, type: String, conformances: [String]) {
        self.coded = coded
        self.type = type
        self.conformances = conformances
    }

    private var access: String { coded.memberModifier }

    /// Whether `Codable` asks for an object of the value. It does not for a structure without members.
    private var isDirect: Bool {
        if case .properties(let properties) = coded.content { return !properties.isEmpty }
        return true
    }

    var extensions: [String] {
        var extensions = [codable()].compactMap { $0 }
        guard isDirect else { return extensions }
        if let names = nameTables() { extensions.append(names) }
        let body = DirectWriter(coded)
        if conformances.contains("JSONReadable") {
            extensions.append(
                writing("JSONReadable") {
                    $0.block(
                        "\(access)init(reading reader: inout WireJSON.JSONReader) throws(WireJSON.JSONFallback)",
                        body.writeReading)
                })
        }
        if conformances.contains("JSONWritable") {
            extensions.append(
                writing("JSONWritable") {
                    $0.block(
                        "\(access)func write(to writer: inout WireJSON.JSONWriter) throws(WireJSON.JSONFallback)",
                        body.writeWriting)
                })
        }
        return extensions
    }

    private func writing(_ name: String, _ body: (inout Lines) -> Void) -> String {
        var lines = Lines()
        lines.block(
            "\(coded.extensionModifier)extension \(type): WireJSON.\(name)\(condition("WireJSON.\(name)"))", body)
        return lines.text
    }

    /// The condition of a conformance to a protocol.
    private func condition(_ name: String) -> String {
        guard !coded.parameters.isEmpty else { return "" }
        return " where " + coded.parameters.map { "\($0): \(name)" }.joined(separator: ", ")
    }

    // MARK: Codable

    /// The compiler writes what is missing. It is given the names, and the values of members that are missing.
    private func codable() -> String? {
        let protocols = conformances.filter { ["Decodable", "Encodable"].contains($0) }
        let keys = CodingKeysWriter(coded)
        let hasDefaults = keys.properties.contains { $0.defaultValue != nil && !$0.isConstant }
        guard !protocols.isEmpty || hasDefaults || keys.areNeeded else { return nil }
        var head = "\(coded.extensionModifier)extension \(type)"
        if !protocols.isEmpty {
            let name = protocols.count == 2 ? "Codable" : protocols[0]
            head += ": \(name)\(condition(name))"
        } else {
            head += condition("Codable")
        }
        var lines = Lines()
        lines.block(head) { lines in
            keys.write(to: &lines, isForced: hasDefaults)
            guard hasDefaults else { return }
            lines.block("\(access)init(from decoder: any Decoder) throws") { lines in
                lines.add("let container = try decoder.container(keyedBy: CodingKeys.self)")
                for property in keys.properties where !property.isConstant {
                    let name = property.name
                    let type = ScopeWriter.type(property.type, of: name)
                    if let value = property.defaultValue {
                        lines.add(
                            "self.\(name) = try container.decodeIfPresent(\(type.metatype), forKey: .\(name)) "
                                + "?? \(ScopeWriter.value(value, of: name))")
                    } else {
                        lines.add(
                            "self.\(name) = try container.decodeMember(\(type.metatype), forKey: .\(name))")
                    }
                }
            }
        }
        return lines.text
    }

    // MARK: Names

    /// The names as reader and writer have them.
    private func nameTables() -> String? {
        let body = DirectWriter(coded)
        guard let names = body.names else { return nil }
        var lines = Lines()
        lines.block("\(coded.extensionModifier)extension \(type)") { lines in
            write("jsonMemberNames", names, to: &lines)
            guard !body.valueNames.isEmpty else { return }
            lines.block("private enum JSONValueNames") { lines in
                for (table, names) in body.valueNames { write(table, names, to: &lines) }
            }
        }
        return lines.text
    }

    private func write(_ table: String, _ names: [String], to lines: inout Lines) {
        let made = "WireJSON.JSONMemberNames(\(names.map(\.literal).joined(separator: ", ")))"
        guard coded.isGeneric else {
            // The extension is not the type: what is private to it cannot be seen by the others of the type.
            return lines.add("fileprivate static let \(table) = \(made)")
        }
        lines.block("fileprivate static var \(table): WireJSON.JSONMemberNames") {
            $0.add(".shared(by: Self.self, as: \(table.literal), \(made))")
        }
    }
}
