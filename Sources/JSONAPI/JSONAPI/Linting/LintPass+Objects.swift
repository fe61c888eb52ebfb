// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import WireJSON

extension LintPass {
    mutating func checkDocument(_ value: JSONValue) {
        guard let document = value.objectValue else {
            return report(.topLevelMembers, "the document is not an object")
        }
        let hasContent = ["data", "errors", "meta"].contains { document[$0] != nil } || hasExtensionMember(document)
        if !hasContent {
            report(.topLevelMembers, "the document has neither `data`, `errors`, `meta` nor a member of an extension")
        }
        if document["data"] != nil, document["errors"] != nil {
            report(.dataWithErrors, "`data` and `errors` occur together")
        }
        if document["included"] != nil, document["data"] == nil {
            report(.includedWithoutData, "`included` occurs without `data`", at: "included")
        }
        checkDefined(document, ["data", "errors", "meta", "links", "included", "jsonapi"])
        objectMember(document, "jsonapi", .jsonapiObject) { $0.checkJSONAPIObject($1) }
        checkLinks(document)
        checkMeta(document)
        member(document, "data") { $0.checkPrimaryData($1) }
        member(document, "errors") { $0.checkErrors($1) }
        member(document, "included") { pass, included in
            guard let resources = included.arrayValue else {
                return pass.report(.included, "`included` is not an array")
            }
            pass.each(resources) { $0.checkResource($1, isPrimary: false) }
        }
        checkLinkage()
    }

    private mutating func checkPrimaryData(_ data: JSONValue) {
        switch data {
        case .null: break
        case .object: checkResource(data, isPrimary: true)
        case .array(let elements): each(elements) { $0.checkResource($1, isPrimary: true) }
        default: report(.primaryData, "the primary data are neither `null`, an object nor an array")
        }
    }

    private mutating func checkJSONAPIObject(_ object: JSONObject) {
        checkDefined(object, ["version", "ext", "profile", "meta"])
        checkStrings(object, ["version"], .jsonapiObject)
        for name in ["ext", "profile"] {
            guard let list = object[name] else { continue }
            if list.arrayValue?.allSatisfy({ $0.stringValue != nil }) != true {
                report(.jsonapiObject, "`\(name)` is not an array of strings", at: name)
            }
        }
        checkMeta(object)
    }

    private mutating func checkErrors(_ value: JSONValue) {
        guard let errors = value.arrayValue else { return report(.errors, "`errors` is not an array") }
        each(errors) { pass, error in
            guard let error = error.objectValue else { return pass.report(.errors, "the error is not an object") }
            pass.checkError(error)
        }
    }

    private mutating func checkError(_ error: JSONObject) {
        let defined: Set = ["id", "links", "status", "code", "title", "detail", "source", "meta"]
        if defined.allSatisfy({ error[$0] == nil }) {
            report(.errorObject, "the error object has none of the defined members")
        }
        checkDefined(error, defined)
        checkStrings(error, ["id", "status", "code", "title", "detail"], .errorObject)
        objectMember(error, "source", .errorObject) { pass, source in
            pass.checkDefined(source, ["pointer", "parameter", "header"])
            pass.checkStrings(source, ["pointer", "parameter", "header"], .errorObject)
        }
        checkLinks(error)
        checkMeta(error)
    }
}

extension LintPass {
    mutating func checkResource(_ value: JSONValue, isPrimary: Bool) {
        guard let resource = value.objectValue else {
            return report(.resourceObject, "the resource is not an object")
        }
        checkDefined(resource, ["type", "id", "lid", "attributes", "relationships", "links", "meta"])
        checkIdentification(resource)
        if resource["id"] == nil {
            let isNew = linter.allowsNewResources && (isPrimary || resource["lid"] != nil)
            if !isNew { report(.resourceID, "the resource has no `id`") }
        }
        linkage.add(resource, at: path, isPrimary: isPrimary)
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

extension LintPass {
    mutating func checkLinks(_ object: JSONObject) {
        objectMember(object, "links", .links) { pass, links in pass.eachMember(links) { $0.checkLink($1) } }
    }

    private mutating func checkLink(_ link: JSONValue) {
        switch link {
        case .null: break
        case .string(let reference): checkReference(reference)
        case .object(let object): checkLinkObject(object)
        default: report(.link, "the link is neither a string, an object nor `null`")
        }
    }

    private mutating func checkLinkObject(_ object: JSONObject) {
        checkDefined(object, ["href", "rel", "describedby", "title", "type", "hreflang", "meta"])
        switch object["href"] {
        case nil: report(.linkReference, "the link object has no `href`")
        case .string(let reference)?: inside("href") { $0.checkReference(reference) }
        case _?: report(.linkReference, "`href` is not a string", at: "href")
        }
        checkStrings(object, ["rel", "title", "type"], .linkObjectMember)
        if let languages = object["hreflang"], languages.stringValue == nil,
            languages.arrayValue?.allSatisfy({ $0.stringValue != nil }) != true
        {
            report(.linkObjectMember, "`hreflang` is neither a string nor an array of strings", at: "hreflang")
        }
        member(object, "describedby") { $0.checkLink($1) }
        checkMeta(object)
    }

    /// Reports characters that RFC 3986 §2 excludes. Square brackets are accepted anywhere, because the specification's
    /// own examples have them in queries, and so are characters beyond ASCII (RFC 3987).
    private mutating func checkReference(_ reference: String) {
        if reference.utf8.contains(where: { $0 < 0x80 && !ASCIISet.url.contains($0) }) {
            report(.uriReference, "the link `\(reference)` is not a URI reference")
        }
    }
}
