// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the members of an enumeration with `@ResourceUnion`.
struct UnionWriter {
    private let union: UnionDeclaration

    init(_ union: UnionDeclaration) { self.union = union }

    private var access: String { union.access.memberModifier }

    var members: [String] { [alternatives, identifier] }

    private var alternatives: String {
        var lines = [
            "/// The resource types.",
            "\(access)static let alternatives: [JSONAPI.UnionAlternative<\(union.name)>] = [",
        ]
        for item in union.cases {
            lines.append(
                "    JSONAPI.UnionAlternative { (resource: \(item.type)) in \(union.name).\(item.name)(\(item.label)resource) },"
            )
        }
        lines.append("]")
        return lines.joined(separator: "\n")
    }

    private var identifier: String {
        var lines = [
            "/// Returns the identifier of the resource. It is `nil` if the resource has neither an id nor a local id.",
            "\(access)func toResourceIdentifierObject() -> JSONAPI.ResourceIdentifierObject? {",
            "    switch self {",
        ]
        for item in union.cases {
            lines.append("    case .\(item.name)(\(item.label)let resource): resource.toResourceIdentifierObject()")
        }
        lines.append("    case .unknown(let object): object.identifier")
        lines.append("    }")
        lines.append("}")
        return lines.joined(separator: "\n")
    }
}
