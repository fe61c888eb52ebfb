// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the bodies of `init(reading:)` and `write(to:)`.
struct DirectWriter {
    private static let names = "jsonMemberNames"
    private static let fallback = "throw WireJSON.JSONFallback()"

    let coded: CodedType

    // MARK: Reading

    func writeReading(_ lines: inout CodeText) {
        switch coded.content {
        case .properties(let properties): readProperties(properties, &lines)
        case .texts(let texts):
            lines.block("switch try reader.readString(of: Self.\(Self.names))") { lines in
                for (index, name) in texts.enumerated() { lines.line("case \(index): self = .\(name)") }
                lines.line("default: \(Self.fallback)")
            }
        case .rawValues(let type):
            lines.line("guard let value = Self(rawValue: try reader.read(\(type).self)) else { \(Self.fallback) }")
            lines.line("self = value")
        case .cases(let cases): readCases(cases, &lines)
        }
    }

    private func readProperties(_ properties: [CodedProperty], _ lines: inout CodeText) {
        let read = properties.indices.filter { !properties[$0].isConstant }
        readMembers(
            "members", "names", "Self.\(Self.names)", "member",
            read.map { index in
                let property = properties[index]
                let type = coded.scopedType(property.type, of: property.name)
                return Member(
                    index: index, type: property.defaultValue == nil ? type : type.optionalType,
                    isOptional: property.isOptional || property.defaultValue != nil)
            }, &lines)
        for index in read {
            let property = properties[index]
            guard let other = property.defaultValue.map({ coded.scopedValue($0, of: property.name) }) else {
                lines.line("self.\(property.name) = value\(index)")
                continue
            }
            lines.line(
                coded.canBeOptional(property.type)
                    ? "self.\(property.name) = WireJSON.JSONReader.member(value\(index), default: \(other))"
                    : "self.\(property.name) = value\(index) ?? \(other)")
        }
    }

    private func readCases(_ cases: [CodedCase], _ lines: inout CodeText) {
        lines.line("let names = Self.\(Self.names)")
        lines.line("var members = try reader.beginCase()")
        lines.line("guard let member = try reader.next(names, &members) else { \(Self.fallback) }")
        lines.block("switch member") { lines in
            for (index, coded) in cases.enumerated() {
                lines.line("case \(index):")
                lines.nested { lines in
                    guard !coded.values.isEmpty else {
                        lines.line("try reader.skipObject()")
                        lines.line("self = .\(coded.name)")
                        return
                    }
                    readMembers(
                        "values", "valueNames", "JSONValueNames.case\(index)", "value",
                        coded.values.enumerated().map { place, value in
                            let name = coded.name(of: place)
                            return Member(
                                index: place, type: self.coded.scopedType(value.type, of: name),
                                isOptional: value.isOptional)
                        }, &lines)
                    lines.line("self = .\(coded.name)(\(coded.arguments))")
                }
            }
            lines.line("default: \(Self.fallback)")
        }
        lines.line("guard try reader.next(names, &members) == nil else { \(Self.fallback) }")
    }

    /// A member that is read into a variable `value…`.
    private struct Member {
        var index: Int
        var type: String
        var isOptional: Bool
    }

    private func readMembers(
        _ place: String, _ names: String, _ table: String, _ number: String, _ members: [Member],
        _ lines: inout CodeText
    ) {
        for member in members {
            lines.line(
                member.isOptional
                    ? "var value\(member.index): \(member.type) = nil"
                    : "var value\(member.index): \(member.type.optionalType)")
        }
        lines.line("let \(names) = \(table)")
        lines.line("var \(place) = try reader.beginObject()")
        lines.block("while let \(number) = try reader.next(\(names), &\(place))") { lines in
            lines.block("switch \(number)") { lines in
                for member in members {
                    lines.line("case \(member.index): value\(member.index) = try reader.read(\(member.type.metatype))")
                }
                // Members of constants are skipped.
                lines.line("default: try reader.skip()")
            }
        }
        let required = members.filter { !$0.isOptional }.map { "let value\($0.index)" }
        if !required.isEmpty { lines.line("guard \(required.joined(separator: ", ")) else { \(Self.fallback) }") }
    }

    // MARK: Writing

    func writeWriting(_ lines: inout CodeText) {
        switch coded.content {
        case .properties(let properties):
            lines.line("let names = Self.\(Self.names)")
            lines.line("writer.beginObject()")
            for (index, property) in properties.enumerated() {
                lines.line("try writer.write(self.\(property.name), names, \(index))")
            }
            lines.line("writer.endObject()")
        case .texts(let texts):
            lines.line("let texts = Self.\(Self.names)")
            lines.block("switch self") { lines in
                for (index, name) in texts.enumerated() { lines.line("case .\(name): writer.write(texts, \(index))") }
            }
        case .rawValues: lines.line("try writer.write(self.rawValue)")
        case .cases(let cases): writeCases(cases, &lines)
        }
    }

    private func writeCases(_ cases: [CodedCase], _ lines: inout CodeText) {
        lines.line("let names = Self.\(Self.names)")
        lines.line("writer.beginObject()")
        lines.block("switch self") { lines in
            for (index, coded) in cases.enumerated() {
                lines.line("case .\(coded.pattern):")
                lines.nested { lines in
                    lines.line("writer.member(names, \(index))")
                    lines.line("writer.beginObject()")
                    if !coded.values.isEmpty {
                        lines.line("let valueNames = JSONValueNames.case\(index)")
                        for place in coded.values.indices {
                            lines.line("try writer.write(value\(place), valueNames, \(place))")
                        }
                    }
                    lines.line("writer.endObject()")
                }
            }
        }
        lines.line("writer.endObject()")
    }
}
