// swift-jsonrpc · SPDX-License-Identifier: MIT

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
            pass.each(resources) { $0.checkResource($1, as: .included) }
        }
        checkLinkage()
    }

    private mutating func checkPrimaryData(_ data: JSONValue) {
        switch data {
        case .null: break
        case .object: checkResource(data, as: .primary)
        case .array(let elements): each(elements) { $0.checkResource($1, as: .primary) }
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
