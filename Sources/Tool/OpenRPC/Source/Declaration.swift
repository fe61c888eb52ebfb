// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The declaration of a type in the generated code.
struct Declaration {
    struct Property {
        var name: String
        var jsonName: String
        var description: String?
        var type: SwiftType
        /// False if the member may be absent. Its type is optional then.
        var isRequired: Bool
    }

    enum Kind {
        case structure([Property])
        /// An enumeration of strings or integers. Each case has a name and a raw value as source text.
        case enumeration(rawType: String, cases: [(name: String, value: String)])
        /// An enumeration whose cases have values of different types. Each case has a name and a type.
        case union([(name: String, type: SwiftType)])
        case alias(SwiftType)
    }

    var name: String
    var description: String?
    var kind: Kind
}

extension Declaration {
    func write(to code: inout SourceText, access: String, withMacro: Bool) {
        code.comment(description)
        if withMacro, isCodedByMembers { code.line("@JSONCodable") }
        switch kind {
        case .alias(let type): code.line("\(access)typealias \(name) = \(type.text)")
        case .enumeration(let rawType, let cases):
            code.block("\(access)enum \(name): \(rawType), Codable, Sendable, Hashable, CaseIterable") { code in
                for entry in cases { code.line("case \(SwiftName.quoted(entry.name)) = \(entry.value)") }
            }
        case .structure(let properties): writeStructure(properties, to: &code, access)
        case .union(let cases): writeUnion(cases, to: &code, access)
        }
    }

    /// Whether `@JSONCodable` can code the type. It cannot if the type encodes itself.
    private var isCodedByMembers: Bool {
        switch kind {
        case .enumeration: true
        case .structure(let properties): !writesNulls(properties)
        case .alias, .union: false
        }
    }

    /// Whether a member must be there, and can be null.
    private func writesNulls(_ properties: [Property]) -> Bool {
        properties.contains { $0.isRequired && $0.type.isOptional }
    }

    private func writeStructure(_ properties: [Property], to code: inout SourceText, _ access: String) {
        code.block("\(access)struct \(name): Codable, Sendable, Hashable") { code in
            for property in properties {
                code.comment(property.description)
                code.line("\(access)var \(SwiftName.quoted(property.name)): \(property.type.text)")
            }
            code.line()
            let parameters = properties.map {
                "\(SwiftName.quoted($0.name)): \($0.type.text)\($0.type.isOptional ? " = nil" : "")"
            }
            code.list("\(access)init(", parameters, ") {")
            code.indented { code in
                for property in properties {
                    code.line("self.\(property.name) = \(SwiftName.quoted(property.name))")
                }
            }
            code.line("}")
            let writesNulls = writesNulls(properties)
            guard writesNulls || properties.contains(where: { $0.name != $0.jsonName }) else { return }
            code.line()
            code.block("private enum CodingKeys: String, CodingKey") { code in
                for property in properties {
                    let value = property.name == property.jsonName ? "" : " = \(SwiftName.literal(property.jsonName))"
                    code.line("case \(SwiftName.quoted(property.name))\(value)")
                }
            }
            if writesNulls { Self.writeEncoding(of: properties, to: &code, access) }
        }
    }

    /// Writes an `encode(to:)` that encodes required members even if they are `nil`, as null.
    private static func writeEncoding(of properties: [Property], to code: inout SourceText, _ access: String) {
        code.line()
        code.block("\(access)func encode(to encoder: any Encoder) throws") { code in
            code.line("var container = encoder.container(keyedBy: CodingKeys.self)")
            for property in properties {
                let verb = property.isRequired ? "encode" : "encodeIfPresent"
                code.line("try container.\(verb)(self.\(property.name), forKey: .\(property.name))")
            }
        }
    }

    private func writeUnion(
        _ cases: [(name: String, type: SwiftType)], to code: inout SourceText, _ access: String
    ) {
        code.block("\(access)indirect enum \(name): Codable, Sendable, Hashable") { code in
            for entry in cases { code.line("case \(SwiftName.quoted(entry.name))(\(entry.type.text))") }
            code.line()
            code.block("\(access)init(from decoder: any Decoder) throws") { code in
                code.line("let container = try decoder.singleValueContainer()")
                for entry in cases.dropLast() {
                    code.block("if let value = try? container.decode(\(entry.type.text).self)") { code in
                        code.line("self = .\(entry.name)(value)")
                        code.line("return")
                    }
                }
                if let last = cases.last {
                    code.line("self = .\(last.name)(try container.decode(\(last.type.text).self))")
                }
            }
            code.line()
            code.block("\(access)func encode(to encoder: any Encoder) throws") { code in
                code.line("var container = encoder.singleValueContainer()")
                code.line("switch self {")
                for entry in cases {
                    code.line("case .\(entry.name)(let value): try container.encode(value)")
                }
                code.line("}")
            }
        }
    }
}

/// A type in generated code.
indirect enum SwiftType: Hashable, Sendable {
    case named(String)
    case optional(SwiftType)
    case array(SwiftType)
    /// A dictionary whose keys are strings.
    case dictionary(SwiftType)
    /// A value in a reference type, so that a type can contain itself.
    case boxed(SwiftType)

    static let json = SwiftType.named("JSONValue")

    var text: String {
        switch self {
        case .named(let name): name
        case .optional(let wrapped): wrapped.text + "?"
        case .array(let element): "[\(element.text)]"
        case .dictionary(let value): "[String: \(value.text)]"
        case .boxed(let value): "Indirect<\(value.text)>"
        }
    }

    var isOptional: Bool { if case .optional = self { true } else { false } }

    /// The optional type, or the type itself if it is already optional.
    var madeOptional: SwiftType { isOptional ? self : .optional(self) }

    /// The named type that a value contains without an array or a box between them; `nil` if there is none.
    var embedded: String? {
        switch self {
        case .named(let name): name
        case .optional(let wrapped): wrapped.embedded
        case .array, .dictionary, .boxed: nil
        }
    }

    var boxing: SwiftType {
        if case .optional(let wrapped) = self { return .optional(wrapped.boxing) }
        return .boxed(self)
    }

    /// The name of an enum case with such a value.
    var caseName: String {
        switch self {
        case .named(let name): SwiftName.member(name == "JSONValue" ? "json" : name)
        case .optional(let wrapped), .boxed(let wrapped): wrapped.caseName
        case .array(let element): element.caseName + "s"
        case .dictionary(let value): value.caseName + "ByName"
        }
    }
}
