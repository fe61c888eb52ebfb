// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The members that `@ResourceUnion` writes.
extension UnionDeclaration {
    var members: [String] { [alternatives, identifier] }

    private var alternatives: String {
        var lines = [
            "/// The resource types.",
            "\(access.memberModifier)static let alternatives: [JSONAPI.UnionAlternative<\(name)>] = [",
        ]
        for item in cases {
            lines.append(
                "    JSONAPI.UnionAlternative { (resource: \(item.type)) in \(name).\(item.name)(\(item.label)resource) },"
            )
        }
        lines.append("]")
        return lines.joined(separator: "\n")
    }

    private var identifier: String {
        var lines = [
            "/// Returns the identifier of the resource. It is `nil` if the resource has neither an id nor a local id.",
            "\(access.memberModifier)func toResourceIdentifierObject() -> JSONAPI.ResourceIdentifierObject? {",
            "    switch self {",
        ]
        for item in cases {
            lines.append("    case .\(item.name)(\(item.label)let resource): resource.toResourceIdentifierObject()")
        }
        lines.append("    case .unknown(let object): object.identifier")
        lines.append("    }")
        lines.append("}")
        return lines.joined(separator: "\n")
    }
}
