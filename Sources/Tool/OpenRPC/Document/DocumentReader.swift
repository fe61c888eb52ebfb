// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Reads the parts of a document and follows their references.
///
/// The parameter `place` of its functions is the path of the value in the document, for errors.
struct DocumentReader {
    let document: JSONValue

    func method(_ json: JSONValue, _ place: String) throws(OpenRPCError) -> OpenRPCDocument.Method {
        let members = try object(resolved(json, place), place)
        let name = try string(members["name"], "\(place).name")
        let place = "\(place) (\(name))"
        var params: [OpenRPCDocument.ContentDescriptor] = []
        if let given = members["params"] {
            for (index, param) in try array(given, "\(place).params").enumerated() {
                params.append(try content(param, "\(place).params[\(index)]"))
            }
        }
        var structure = OpenRPCDocument.Method.ParamStructure.either
        if let given = members["paramStructure"] {
            guard let known = given.stringValue.flatMap(OpenRPCDocument.Method.ParamStructure.init) else {
                throw OpenRPCError(
                    "\(place).paramStructure is \(given). Expected \"by-name\", \"by-position\" or \"either\".")
            }
            structure = known
        }
        var errors: [OpenRPCDocument.ErrorDescription] = []
        for (index, error) in (members["errors"]?.arrayValue ?? []).enumerated() {
            let at = "\(place).errors[\(index)]"
            let members = try object(resolved(error, at), at)
            guard let code = members["code"]?.intValue else {
                throw OpenRPCError(expected: "an integer", at: "\(at).code", found: members["code"])
            }
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

    /// Follows reference objects. Returns any other value unchanged.
    private func resolved(_ json: JSONValue, _ place: String) throws(OpenRPCError) -> JSONValue {
        var json = json
        var seen: Set<String> = []
        while let reference = json.objectValue?["$ref"]?.stringValue {
            guard let pointer = JSONPointer(reference: reference) else {
                throw OpenRPCError(externalReference: reference, at: place)
            }
            guard seen.insert(reference).inserted else {
                throw OpenRPCError("\(place) refers to \(reference), which refers back to itself.")
            }
            guard let value = pointer.value(in: document) else {
                throw OpenRPCError("\(place) refers to \(reference), which does not exist in the document.")
            }
            json = value
        }
        return json
    }

    func object(_ json: JSONValue?, _ place: String) throws(OpenRPCError) -> JSONObject {
        if let members = json?.objectValue { return members }
        throw OpenRPCError(expected: "an object", at: place, found: json)
    }

    func string(_ json: JSONValue?, _ place: String) throws(OpenRPCError) -> String {
        if let text = json?.stringValue { return text }
        throw OpenRPCError(expected: "a string", at: place, found: json)
    }

    func array(_ json: JSONValue?, _ place: String) throws(OpenRPCError) -> [JSONValue] {
        if let elements = json?.arrayValue { return elements }
        throw OpenRPCError(expected: "an array", at: place, found: json)
    }
}
