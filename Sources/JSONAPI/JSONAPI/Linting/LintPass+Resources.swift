// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

extension LintPass {
    /// The part of the document that a resource belongs to.
    enum ResourcePlace {
        case primary, included
    }

    mutating func checkResource(_ value: JSONValue, as place: ResourcePlace) {
        guard let resource = value.objectValue else {
            return report(.resourceObject, "the resource is not an object")
        }
        checkDefined(resource, ["type", "id", "lid", "attributes", "relationships", "links", "meta"])
        checkIdentification(resource)
        if resource["id"] == nil {
            let isNew = linter.allowsNewResources && (place == .primary || resource["lid"] != nil)
            if !isNew { report(.resourceID, "the resource has no `id`") }
        }
        linkage.add(resource, at: path, isPrimary: place == .primary)
        checkFields(resource)
        objectMember(resource, "relationships", .relationships) { pass, relationships in
            pass.eachMember(relationships) { $0.checkRelationship($1) }
        }
        checkLinks(resource)
        checkMeta(resource)
    }

    /// Checks `type`, `id` and `lid` if they are there, and that `type` is there.
    private mutating func checkIdentification(_ object: JSONObject) {
        switch object["type"] {
        case nil: report(.resourceType, "the object has no `type`")
        case .string(let type)?:
            if MemberName.kind(of: type) != .regular || !MemberName.isLegal(type) {
                report(.typeName, "the type `\(type)` is not a legal member name", at: "type")
            }
        case _?: report(.resourceType, "`type` is not a string", at: "type")
        }
        checkStrings(object, ["id"], .resourceID)
        checkStrings(object, ["lid"], .localID)
    }

    private mutating func checkFields(_ resource: JSONObject) {
        let relationships = resource["relationships"]?.objectValue ?? JSONObject()
        for name in ["type", "id"] where relationships[name] != nil {
            inside("relationships") { $0.report(.reservedFieldName, "a relationship is named `\(name)`", at: name) }
        }
        objectMember(resource, "attributes", .attributes) { pass, attributes in
            for name in ["type", "id"] where attributes[name] != nil {
                pass.report(.reservedFieldName, "an attribute is named `\(name)`", at: name)
            }
            for name in attributes.keys where MemberName.kind(of: name) == .regular && relationships[name] != nil {
                pass.report(.repeatedField, "an attribute and a relationship are named `\(name)`", at: name)
            }
            if pass.linter.checksRecommendations { pass.checkForeignKeys(attributes, relationships) }
            pass.checkNames(.object(attributes))
        }
    }

    /// Reports attributes that are named like the key of a relationship, such as `authorId` beside `author`.
    private mutating func checkForeignKeys(_ attributes: JSONObject, _ relationships: JSONObject) {
        for relationship in relationships.keys {
            for suffix in ["Id", "ID", "_id", "-id"] where attributes[relationship + suffix] != nil {
                let name = relationship + suffix
                report(.foreignKey, "the attribute `\(name)` repeats the relationship `\(relationship)`", at: name)
            }
        }
    }

    private mutating func checkRelationship(_ value: JSONValue) {
        guard let relationship = value.objectValue else {
            return report(.relationships, "the relationship is not an object")
        }
        checkDefined(relationship, ["links", "data", "meta"])
        if ["links", "data", "meta"].allSatisfy({ relationship[$0] == nil }), !hasExtensionMember(relationship) {
            report(.relationshipMembers, "the relationship has neither `links`, `data` nor `meta`")
        }
        if let links = relationship["links"]?.objectValue, links["self"] == nil, links["related"] == nil,
            !hasExtensionMember(links)
        {
            report(.relationshipLinks, "the links of the relationship have neither `self` nor `related`", at: "links")
        }
        member(relationship, "data") { pass, data in
            switch data {
            case .null: break
            case .object(let identifier): pass.checkIdentifier(identifier)
            case .array(let elements):
                pass.each(elements) { pass, element in
                    guard let identifier = element.objectValue else {
                        return pass.report(.resourceIdentifier, "the identifier is not an object")
                    }
                    pass.checkIdentifier(identifier)
                }
            default: pass.report(.resourceLinkage, "the linkage is neither `null`, an object nor an array")
            }
        }
        checkLinks(relationship)
        checkMeta(relationship)
    }

    private mutating func checkIdentifier(_ identifier: JSONObject) {
        checkDefined(identifier, ["type", "id", "lid", "meta"])
        checkIdentification(identifier)
        if identifier["id"] == nil, identifier["lid"] == nil {
            report(.resourceIdentifier, "the identifier has neither an `id` nor a `lid`")
        }
        linkage.add(identifier, at: path)
        checkMeta(identifier)
    }
}
