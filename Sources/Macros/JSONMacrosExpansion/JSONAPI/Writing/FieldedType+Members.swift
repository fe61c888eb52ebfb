// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The members that `@Resource` and `@NestedAttribute` write.
extension FieldedType {
    private var modifier: String { access.memberModifier }
    private var noun: String { kind == .resource ? "resource" : "value" }

    var members: [String] {
        var members: [String] = []
        if kind == .resource {
            members.append(
                """
                /// The id, the links, and the values that the server has confirmed.
                \(modifier)var state = JSONAPI.ResourceState<\(name)>()
                """)
        }
        members.append(schema)
        if !initializers.contains([]) { members.append(initializer) }
        if !fields.isEmpty, !initializers.contains(fields.map(\.property.plain)) {
            members.append(fieldInitializer)
        }
        return members
    }

    private var schema: String {
        let generic = kind == .resource ? "JSONAPISchema" : "NestedSchema"
        var lines = [
            "/// The \(kind == .resource ? "type and the " : "")fields.",
            "\(modifier)static let schema: JSONAPI.\(generic)<\(name)> = {",
        ]
        if let keys { lines.append("    let jsonapiKeys: JSONAPI.KeyStrategy = \(keys)") }
        for (index, field) in fields.enumerated() {
            if let location = field.sourceLocation { lines.append(location) }
            lines.append("    let field\(index): JSONAPI.JSONAPIField<\(name)> = \(expression(field))")
        }
        if fields.contains(where: { $0.sourceLocation != nil }) { lines.append("#sourceLocation()") }
        let arguments = (kind == .resource ? [type.literal] : []) + fields.indices.map { "field\($0)" }
        lines.append("    return JSONAPI.\(generic)(\(arguments.joined(separator: ", ")))")
        lines.append("}()")
        return lines.joined(separator: "\n")
    }

    private func expression(_ field: FieldDeclaration) -> String {
        var name = field.documentName.literal
        if keys != nil, field.writtenName == nil { name = "jsonapiKeys(\(name))" }
        var arguments = [name, "\\.\(field.property)"]
        if let transform = field.transform { arguments.append("via: \(transform)") }
        if let options = field.options { arguments.append(options) }
        return ".\(field.mark == .attribute ? "attribute" : "relationship")(\(arguments.joined(separator: ", ")))"
    }

    private var initializer: String {
        let assignments = fields.filter { $0.initialValue == nil }
            .map { "    self.\($0.property) = \($0.implicitValue)" }
        let body = assignments.isEmpty ? ["\(modifier)init() {}"] : ["\(modifier)init() {"] + assignments + ["}"]
        return (["/// Creates a new \(noun) with the initial values of the fields."] + body).joined(separator: "\n")
    }

    /// The initializer with a parameter for each field. Its access level is that of the least visible field.
    private var fieldInitializer: String {
        let least = min(access, fields.map(\.access).min() ?? access)
        let modifier = least == access ? modifier : least.modifier
        let parameters = fields.map { field in
            "    \(field.property): \(field.type) = \(field.initialValue ?? field.implicitValue)"
        }
        let assignments = fields.map { "    self.\($0.property) = \($0.property)" }
        let lines = ["/// Creates a new \(noun) with values of fields.", "\(modifier)init("]
        return (lines + [parameters.joined(separator: ",\n"), ") {"] + assignments + ["}"]).joined(separator: "\n")
    }
}
