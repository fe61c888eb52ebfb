// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the bodies of `init(from:)` and `encode(to:)`, which do the same as those of the compiler.
///
/// The compiler's would prefer an `init(from:)` or `CodingKeys` in another extension, which the macro does not see.
struct CodableWriter {
    let coded: CodedType

    // MARK: Decoding

    func writeDecoding(_ lines: inout CodeText) {
        switch coded.content {
        case .properties(let properties): decodeProperties(properties, &lines)
        case .texts: decodeRawValue("Swift.String", &lines)
        case .rawValues(let type): decodeRawValue(type, &lines)
        case .cases(let cases): decodeCases(cases, &lines)
        }
    }

    private func decodeProperties(_ properties: [CodedProperty], _ lines: inout CodeText) {
        let decoded = properties.filter { !$0.isConstant }
        lines.line("\(decoded.isEmpty ? "_" : "let container") = try decoder.container(keyedBy: CodingKeys.self)")
        for property in decoded {
            let name = property.name
            let type = coded.scopedType(property.type, of: name).metatype
            if let value = property.defaultValue {
                let other = coded.scopedValue(value, of: name)
                lines.line(
                    coded.canBeOptional(property.type)
                        ? "self.\(name) = try container.decodeMember(\(type), forKey: .\(name), default: \(other))"
                        : "self.\(name) = try container.decodeIfPresent(\(type), forKey: .\(name)) ?? \(other)")
            } else {
                lines.line("self.\(name) = try container.decodeMember(\(type), forKey: .\(name))")
            }
        }
    }

    private func decodeRawValue(_ type: String, _ lines: inout CodeText) {
        lines.line("let value = try decoder.singleValueContainer().decode(\(type).self)")
        lines.block("guard let known = Self(rawValue: value) else") { lines in
            let message = #""Cannot initialize \(Self.self) from invalid \("# + type + #".self) value \(value)""#
            lines.line("throw Swift.DecodingError.dataCorrupted(")
            lines.line("    .init(codingPath: decoder.codingPath, debugDescription: \(message)))")
        }
        lines.line("self = known")
    }

    private func decodeCases(_ cases: [CodedCase], _ lines: inout CodeText) {
        lines.line("let container = try decoder.container(keyedBy: CodingKeys.self)")
        lines.line("let keys = container.allKeys")
        lines.block("guard let key = keys.first, keys.count == 1 else") { lines in
            let message = #""Invalid number of keys found, expected one.""#
            lines.line("throw Swift.DecodingError.typeMismatch(")
            lines.line("    Self.self, .init(codingPath: container.codingPath, debugDescription: \(message)))")
        }
        lines.block("switch key") { lines in
            for coded in cases {
                lines.line("case .\(coded.name):")
                lines.nested { lines in
                    let keys = keys(of: coded)
                    lines.line(
                        "\(coded.values.isEmpty ? "_" : "let values") = "
                            + "try container.nestedContainer(keyedBy: \(keys).self, forKey: .\(coded.name))")
                    guard !coded.values.isEmpty else { return lines.line("self = .\(coded.name)") }
                    for (place, value) in coded.values.enumerated() {
                        let type = self.coded.scopedType(value.type, of: coded.name(of: place)).metatype
                        let key = value.name.identifier
                        lines.line("let value\(place) = try values.decodeMember(\(type), forKey: .\(key))")
                    }
                    lines.line("self = .\(coded.name)(\(coded.arguments))")
                }
            }
        }
    }

    /// The key type of a case's values.
    private func keys(of coded: CodedCase) -> String {
        coded.hasOwnKeys ? coded.keysName : "JSONValueNames.\(coded.keysName)"
    }

    // MARK: Encoding

    func writeEncoding(_ lines: inout CodeText) {
        switch coded.content {
        case .properties(let properties):
            lines.line("var container = encoder.container(keyedBy: CodingKeys.self)")
            for property in properties {
                lines.line("try container.encodeMember(self.\(property.name), forKey: .\(property.name))")
            }
        case .texts, .rawValues:
            lines.line("var container = encoder.singleValueContainer()")
            lines.line("try container.encode(self.rawValue)")
        case .cases(let cases):
            lines.line("var container = encoder.container(keyedBy: CodingKeys.self)")
            lines.block("switch self") { lines in
                for coded in cases {
                    lines.line("case .\(coded.pattern):")
                    lines.nested { encodeCase(coded, &$0) }
                }
            }
        }
    }

    private func encodeCase(_ coded: CodedCase, _ lines: inout CodeText) {
        lines.line(
            "\(coded.values.isEmpty ? "_" : "var values") = "
                + "container.nestedContainer(keyedBy: \(keys(of: coded)).self, forKey: .\(coded.name))")
        for (place, value) in coded.values.enumerated() {
            lines.line("try values.encodeMember(value\(place), forKey: .\(value.name.identifier))")
        }
    }
}
