// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the members of a structure with `@Resource` or `@NestedAttribute`.
struct StructWriter {
    private let type: FieldedType

    init(_ type: FieldedType) { self.type = type }

    private var access: String { type.access.memberModifier }

    var members: [String] {
        var members: [String] = []
        if type.kind == .resource {
            members.append(
                """
                /// The id, the links, and the memory of the values that the server has confirmed.
                \(access)var state = JSONAPI.ResourceState<\(type.name)>()
                """)
        }
        members.append(schema)
        if !type.initializers.contains([]) { members.append(initializer) }
        if !type.fields.isEmpty, !type.initializers.contains(type.fields.map(\.property.plain)) {
            members.append(fieldInitializer)
        }
        return members
    }

    private var schema: String {
        let generic = type.kind == .resource ? "JSONAPISchema" : "NestedSchema"
        var lines = [
            "/// The \(type.kind == .resource ? "type and the " : "")fields.",
            "\(access)static let schema: JSONAPI.\(generic)<\(type.name)> = {",
        ]
        if let keys = type.keys { lines.append("    let jsonapiKeys: JSONAPI.KeyStrategy = \(keys)") }
        for (index, field) in type.fields.enumerated() {
            if let location = field.sourceLocation { lines.append(location) }
            lines.append("    let field\(index): JSONAPI.JSONAPIField<\(type.name)> = \(expression(field))")
        }
        if type.fields.contains(where: { $0.sourceLocation != nil }) { lines.append("#sourceLocation()") }
        let arguments =
            (type.kind == .resource ? [type.type.literal] : []) + type.fields.indices.map { "field\($0)" }
        lines.append("    return JSONAPI.\(generic)(\(arguments.joined(separator: ", ")))")
        lines.append("}()")
        return lines.joined(separator: "\n")
    }

    private func expression(_ field: FieldDeclaration) -> String {
        var name = field.documentName.literal
        if type.keys != nil, field.writtenName == nil { name = "jsonapiKeys(\(name))" }
        var arguments = [name, "\\.\(field.property)"]
        if let transform = field.transform { arguments.append("via: \(transform)") }
        if let options = field.options { arguments.append(options) }
        return ".\(field.mark == .attribute ? "attribute" : "relationship")(\(arguments.joined(separator: ", ")))"
    }

    private var initializer: String {
        let assignments = type.fields.filter { $0.initialValue == nil }
            .map { "    self.\($0.property) = \($0.implicitValue)" }
        let lines =
            [
                "/// Creates a new \(type.kind == .resource ? "resource" : "value") with the initial values of the fields."
            ]
            + (assignments.isEmpty ? ["\(access)init() {}"] : ["\(access)init() {"] + assignments + ["}"])
        return lines.joined(separator: "\n")
    }

    /// The initializer with a parameter for each field. It is as visible as the least visible field.
    private var fieldInitializer: String {
        let access = min(type.access, type.fields.map(\.access).min() ?? type.access)
        let modifier = access == type.access ? access.memberModifier : access.modifier
        let parameters = type.fields.map { field in
            "    \(field.property): \(field.type) = \(field.initialValue ?? field.implicitValue)"
        }
        let assignments = type.fields.map { "    self.\($0.property) = \($0.property)" }
        let lines =
            [
                "/// Creates a new \(type.kind == .resource ? "resource" : "value") with values of fields.",
                "\(modifier)init(",
            ]
            + [parameters.joined(separator: ",\n")] + [") {"] + assignments + ["}"]
        return lines.joined(separator: "\n")
    }
}
