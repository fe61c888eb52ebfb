// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// What a value may be, as far as a Swift type can say it: a JSON Schema (draft 7) without what only validates.
public struct JSONSchema: Sendable, Hashable {
    /// The kinds of values.
    public indirect enum Form: Sendable, Hashable {
        /// Anything: nothing is said, or nothing that a type can say.
        case any
        case null, boolean, integer, number, string
        /// One of these values.
        case enumeration([JSONValue])
        /// What lies at another place of the document: `#/components/schemas/Pet`.
        case reference(String)
        case array(JSONSchema?)
        /// An object with these members. Others have the form of `others`, nil for any.
        case object([Property], others: JSONSchema?)
        /// One of several.
        case alternatives([JSONSchema])
        /// All of them at once.
        case all([JSONSchema])
    }

    /// A member of an object.
    public struct Property: Sendable, Hashable {
        public var name: String
        public var schema: JSONSchema
        public var isRequired: Bool
    }

    public var title: String?
    public var description: String?
    public var form: Form

    init(_ form: Form) { self.form = form }

    /// Reads a schema. What is unknown, or malformed, is left out: it then takes any value.
    public init(_ json: JSONValue?) {
        guard let members = json?.objectValue else {
            form = .any
            return
        }
        title = members["title"]?.stringValue
        description = members["description"]?.stringValue
        form = Self.form(members)
    }

    private static func form(_ members: JSONObject) -> Form {
        if let reference = members["$ref"]?.stringValue { return .reference(reference) }
        if let value = members["const"] { return .enumeration([value]) }
        if let values = members["enum"]?.arrayValue, !values.isEmpty { return .enumeration(values) }
        if let parts = members["allOf"]?.arrayValue, !parts.isEmpty {
            var parts = parts.map { JSONSchema($0) }
            // Members may be said beside `allOf`, too.
            if members["properties"] != nil { parts.append(JSONSchema(object(members))) }
            return parts.count == 1 ? parts[0].form : .all(parts)
        }
        for name in ["oneOf", "anyOf"] {
            if let parts = members[name]?.arrayValue, !parts.isEmpty {
                return parts.count == 1 ? JSONSchema(parts[0]).form : .alternatives(parts.map { JSONSchema($0) })
            }
        }
        switch members["type"] {
        case .string(let name): return form(ofType: name, members)
        case .array(let names):
            let forms = names.compactMap(\.stringValue).map { form(ofType: $0, members) }
            return forms.count == 1 ? forms[0] : forms.isEmpty ? .any : .alternatives(forms.map { JSONSchema($0) })
        default:
            if members["properties"] != nil { return object(members) }
            return members["items"] != nil ? array(members) : .any
        }
    }

    private static func form(ofType name: String, _ members: JSONObject) -> Form {
        switch name {
        case "null": .null
        case "boolean": .boolean
        case "integer": .integer
        case "number": .number
        case "string": .string
        case "array": array(members)
        case "object": object(members)
        default: .any
        }
    }

    private static func array(_ members: JSONObject) -> Form {
        // An array of schemas says what each element is: a tuple, which is more than a type here says.
        guard let items = members["items"], items.arrayValue == nil else { return .array(nil) }
        return .array(JSONSchema(items))
    }

    private static func object(_ members: JSONObject) -> Form {
        let required = Set(members["required"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        let properties = (members["properties"]?.objectValue ?? JSONObject()).map { name, schema in
            Property(name: name, schema: JSONSchema(schema), isRequired: required.contains(name))
        }
        let others = members["additionalProperties"].flatMap { $0.objectValue == nil ? nil : JSONSchema($0) }
        return .object(properties, others: others)
    }
}
