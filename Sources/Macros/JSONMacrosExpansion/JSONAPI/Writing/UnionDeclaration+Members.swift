// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The members that `@ResourceUnion` writes.
extension UnionDeclaration {
    var members: [String] { [alternatives, identifier] }

    private var alternatives: String {
        let made = cases.map {
            "    JSONAPI.UnionAlternative { (resource: \($0.type)) in \(name).\($0.name)(\($0.label)resource) },"
        }
        return """
            /// The resource types.
            \(access.memberModifier)static let alternatives: [JSONAPI.UnionAlternative<\(name)>] = [
            \(made.joined(separator: "\n"))
            ]
            """
    }

    private var identifier: String {
        let known = cases.map { "    case .\($0.name)(\($0.label)let resource): resource.toResourceIdentifierObject()" }
        return """
            /// Returns the identifier of the resource. It is `nil` if the resource has neither an id nor a local id.
            \(access.memberModifier)func toResourceIdentifierObject() -> JSONAPI.ResourceIdentifierObject? {
                switch self {
            \(known.joined(separator: "\n"))
                case .unknown(let object): object.identifier
                }
            }
            """
    }
}
