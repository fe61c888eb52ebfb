// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Reads the parts of a document, and follows their references.
struct DocumentReader {
    let document: JSONValue

    func method(_ json: JSONValue, _ place: String) throws(OpenRPCError) -> OpenRPCDocument.Method {
        let members = try object(resolved(json, place), place)
        let name = try string(members["name"], "\(place).name")
        let place = "\(place) (\(name))"
        var params: [OpenRPCDocument.ContentDescriptor] = []
        if let given = members["params"] {
            guard let elements = given.arrayValue else { throw OpenRPCError("\(place).params is no array.") }
            for (index, param) in elements.enumerated() {
                params.append(try content(param, "\(place).params[\(index)]"))
            }
        }
        var structure = OpenRPCDocument.Method.ParamStructure.either
        if let given = members["paramStructure"] {
            guard let known = given.stringValue.flatMap(OpenRPCDocument.Method.ParamStructure.init) else {
                throw OpenRPCError("\(place).paramStructure is none of by-name, by-position and either.")
            }
            structure = known
        }
        var errors: [OpenRPCDocument.ErrorDescription] = []
        for (index, error) in (members["errors"]?.arrayValue ?? []).enumerated() {
            let at = "\(place).errors[\(index)]"
            let members = try object(resolved(error, at), at)
            guard let code = members["code"]?.intValue else { throw OpenRPCError("\(at).code is no integer.") }
            errors.append(.init(code: code, message: try string(members["message"], "\(at).message")))
        }
        var result: OpenRPCDocument.ContentDescriptor?
        if let given = members["result"] { result = try content(given, "\(place).result") }
        return OpenRPCDocument.Method(
            name: name, summary: members["summary"]?.stringValue, description: members["description"]?.stringValue,
            isDeprecated: members["deprecated"]?.boolValue ?? false, paramStructure: structure, params: params,
            result: result, errors: errors)
    }

    private func content(
        _ json: JSONValue, _ place: String
    ) throws(OpenRPCError) -> OpenRPCDocument.ContentDescriptor {
        let members = try object(resolved(json, place), place)
        return OpenRPCDocument.ContentDescriptor(
            name: try string(members["name"], "\(place).name"), summary: members["summary"]?.stringValue,
            description: members["description"]?.stringValue, isRequired: members["required"]?.boolValue ?? false,
            schema: JSONSchema(members["schema"]))
    }

    /// What a reference object stands for; anything else as it is.
    private func resolved(_ json: JSONValue, _ place: String) throws(OpenRPCError) -> JSONValue {
        var json = json
        var seen: Set<String> = []
        while let reference = json.objectValue?["$ref"]?.stringValue {
            guard let pointer = JSONPointer(reference: reference) else {
                throw OpenRPCError("\(place) refers to another document, \(reference), which is not read.")
            }
            guard seen.insert(reference).inserted, let value = pointer.value(in: document) else {
                throw OpenRPCError("\(place) refers to \(reference), where there is nothing.")
            }
            json = value
        }
        return json
    }

    func object(_ json: JSONValue?, _ place: String) throws(OpenRPCError) -> JSONObject {
        guard let members = json?.objectValue else { throw OpenRPCError("\(place) is no object.") }
        return members
    }

    func string(_ json: JSONValue?, _ place: String) throws(OpenRPCError) -> String {
        guard let text = json?.stringValue else { throw OpenRPCError("\(place) is no string.") }
        return text
    }
}
