// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The reason why a resource cannot become a value of its type, or why a value cannot be sent, and the place.
public struct ResourceError: Error, Sendable, Hashable {
    /// A reason. Later versions may add cases, so a `switch` over them needs a default.
    public enum Reason: Sendable, Hashable {
        /// The attribute does not fit the type of its property. The description is that of the decoder.
        case unreadableAttribute(type: String, found: JSONKind, description: String)
        /// The attribute's transform or `init(from:)` has thrown an error of its own, with the given description.
        case refusedAttribute(description: String)
        /// The linkage is an array for a to-one relationship, or is not an array for a to-many relationship.
        case wrongLinkage(expected: FieldKind)
        /// The resource lacks a field that is required.
        case missingField(String)
        /// The resource has another type than the expected ones.
        case wrongType(expected: [String])
        /// The resource has another id than the value that it is merged into.
        case wrongID(expected: String)
        /// The primary data are an array, and one resource is expected, or the other way round.
        case wrongPrimaryData(expectsArray: Bool)
        /// A value cannot be encoded as an attribute. The description is that of the encoder or the transform.
        case unwritableAttribute(description: String)
        /// A relationship refers to a resource with neither an id nor a local id. The type is empty if it is unknown.
        case unidentifiedTarget(type: String)
        /// The resource that a request changes has neither an id nor a local id.
        case missingID
        /// The schema has no field for the property.
        case unknownField(property: String)
    }

    /// The reason.
    public let reason: Reason
    /// The type of the resource in documents. It is empty if the resource is unknown.
    public let type: String
    /// The id, or else the local id of the resource.
    public let id: String?
    /// The name of the field, if the fault is in one.
    public let field: String?
    /// The place in the document. It begins at the resource object if there is no document.
    public internal(set) var pointer: JSONPointer

    init(_ reason: Reason, _ object: ResourceObject?, field: String? = nil, at pointer: JSONPointer = JSONPointer()) {
        self.reason = reason
        type = object?.type ?? ""
        id = object?.id ?? object?.lid
        self.field = field
        self.pointer = pointer
    }

    func under(_ tokens: [String]) -> ResourceError {
        var error = self
        error.pointer.tokens.insert(contentsOf: tokens, at: 0)
        return error
    }
}

extension ResourceError: CustomStringConvertible {
    /// The fault, its resource and its place, as one sentence.
    public var description: String {
        let name = type.isEmpty ? "the resource" : "the resource `\(type)`" + (id.map { " with the id `\($0)`" } ?? "")
        let place = pointer.tokens.isEmpty ? "" : " at `\(pointer)`"
        return switch reason {
        case .unwritableAttribute: "Could not write the attribute `\(field ?? "")` of \(name): \(reason.fault)"
        case .unidentifiedTarget, .missingID:
            "Could not write \(field.map { "the relationship `\($0)` of " } ?? "")\(name): \(reason.fault)"
        case .unknownField: "Could not find a field of \(name): \(reason.fault)"
        default: "Could not read \(name)\(place): \(reason.fault)"
        }
    }
}

extension ResourceError.Reason {
    /// The fault as the end of a sentence.
    var fault: String {
        switch self {
        case .unreadableAttribute(let type, let found, let description):
            "expected `\(type)`, found \(found.rawValue) (\(description))."
        case .refusedAttribute(let description): "the value was refused: \(description)."
        case .wrongLinkage(.toOne): "expected the linkage of a to-one relationship, found an array."
        case .wrongLinkage: "expected the linkage of a to-many relationship, which is an array."
        case .missingField(let name): "the required field `\(name)` is missing."
        case .wrongType(let expected): "expected the type \(expected.map { "`\($0)`" }.joined(separator: " or "))."
        case .wrongID(let expected): "expected the id `\(expected)`."
        case .wrongPrimaryData(let expectsArray):
            expectsArray ? "expected an array of primary data." : "expected one resource, found an array."
        case .unwritableAttribute(let description): "\(description)."
        case .unidentifiedTarget(let type):
            """
            the related resource\(type.isEmpty ? "" : " `\(type)`") has neither an id nor a local id. Create it first, or \
            call `identify()` on it and add it to the same atomic request.
            """
        case .missingID: "the resource has neither an id nor a local id. Create it first."
        case .unknownField(let property): "the schema has no field for the property `\(property)`."
        }
    }
}
