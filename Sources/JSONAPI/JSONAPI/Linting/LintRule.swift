// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A rule of the specification (JSON:API 1.1). Later versions may add cases, so a `switch` over them needs a default.
public enum LintRule: String, Sendable, Hashable, CaseIterable {
    /// The document is an object with `data`, `errors`, `meta`, or a member of an applied extension.
    case topLevelMembers
    /// `data` and `errors` do not occur together.
    case dataWithErrors
    /// `included` occurs only with `data`.
    case includedWithoutData
    /// Primary data are a resource, an identifier, `null`, or an array of resources or of identifiers.
    case primaryData
    /// The specification or an applied extension defines the member.
    case undefinedMember
    /// The namespace of the member is that of an applied extension.
    case unappliedExtension
    /// A resource is an object.
    case resourceObject
    /// A resource has a `type`, which is a string.
    case resourceType
    /// A `type` is a legal member name.
    case typeName
    /// A resource has an `id`, which is a string. Only a new resource in a request can lack it.
    case resourceID
    /// A `lid` is a string.
    case localID
    /// All representations of a resource in a document have the same `lid`.
    case localIDConsistency
    /// `attributes` is an object.
    case attributes
    /// No attribute and no relationship is named `type` or `id`.
    case reservedFieldName
    /// An attribute and a relationship of one resource have different names.
    case repeatedField
    /// Foreign keys are relationships, not attributes.
    case foreignKey
    /// `relationships` is an object, and so is each relationship.
    case relationships
    /// A relationship has `links`, `data`, `meta`, or a member of an applied extension.
    case relationshipMembers
    /// The links of a relationship have `self`, `related`, or a member of an applied extension.
    case relationshipLinks
    /// Resource linkage is an identifier, `null`, or an array of identifiers.
    case resourceLinkage
    /// An identifier has a `type`, and an `id` or a `lid`.
    case resourceIdentifier
    /// `included` is an array.
    case included
    /// Each included resource is related to the primary data, directly or through other included resources.
    case fullLinkage
    /// A document has at most one resource object for a type and id.
    case duplicateResource
    /// `meta` is an object.
    case meta
    /// `links` is an object.
    case links
    /// A link is a string, a link object, or `null`.
    case link
    /// A link object has an `href`, which is a string.
    case linkReference
    /// A member of a link object is of the defined kind.
    case linkObjectMember
    /// A link is a URI reference: it has no spaces, control characters or other characters that RFC 3986 excludes.
    case uriReference
    /// `jsonapi` is an object, and its members are of the defined kinds.
    case jsonapiObject
    /// A member name is legal.
    case memberName
    /// A member name is in camel case, with ASCII letters and digits only.
    case recommendedMemberName
    /// The namespace of an extension has ASCII letters and digits only.
    case extensionNamespace
    /// `errors` is an array of objects.
    case errors
    /// An error object has at least one of the defined members, and they are of the defined kinds.
    case errorObject
}

extension LintRule {
    /// The title of the section of the specification that states the rule.
    public var section: String {
        switch self {
        case .topLevelMembers, .dataWithErrors, .includedWithoutData, .primaryData: "Top Level"
        case .undefinedMember: "Document Structure"
        case .unappliedExtension, .extensionNamespace: "Extension Members"
        case .resourceObject: "Resource Objects"
        case .resourceType, .typeName, .resourceID, .localID, .localIDConsistency: "Identification"
        case .reservedFieldName, .repeatedField: "Fields"
        case .attributes, .foreignKey: "Attributes"
        case .relationships, .relationshipMembers, .relationshipLinks: "Relationships"
        case .resourceLinkage: "Resource Linkage"
        case .resourceIdentifier: "Resource Identifier Objects"
        case .included, .fullLinkage, .duplicateResource: "Compound Documents"
        case .meta: "Meta Information"
        case .links, .link, .uriReference: "Links"
        case .linkReference, .linkObjectMember: "Link objects"
        case .jsonapiObject: "JSON:API Object"
        case .memberName, .recommendedMemberName: "Member Names"
        case .errors, .errorObject: "Error Objects"
        }
    }

    /// Whether the specification requires this, rather than recommends it.
    public var isRequirement: Bool {
        self != .foreignKey && self != .recommendedMemberName
    }
}

/// A violation that a ``DocumentLinter`` has found.
public struct LintFinding: Sendable, Hashable, CustomStringConvertible {
    /// The violated rule.
    public let rule: LintRule
    /// The place of the value, or of the object that lacks a member.
    public let pointer: JSONPointer
    /// The violation as a clause without a full stop.
    public let message: String

    /// The place, the violation and the section of the specification, as one sentence.
    public var description: String {
        "`\(pointer)`: \(message) (JSON:API 1.1, \"\(rule.section)\")."
    }
}
