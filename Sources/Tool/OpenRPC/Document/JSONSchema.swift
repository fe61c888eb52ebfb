// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

/// A JSON Schema (draft 7), reduced to the parts that a Swift type can express.
///
/// Keywords that only validate, such as `minimum` and `pattern`, are not kept.
package struct JSONSchema: Sendable, Hashable {
    /// The form of the values that a schema allows.
    package indirect enum Form: Sendable, Hashable {
        /// Any value. The schema has no constraint that a Swift type can express.
        case any
        case null
        case boolean
        /// A number without a fraction.
        case integer
        case number
        case string
        /// One of the listed values (`enum`, `const`).
        case enumeration([JSONValue])
        /// The schema at another place in the document, such as `#/components/schemas/Pet` (`$ref`).
        case reference(String)
        /// An array whose elements have the given schema; `nil` for any elements.
        case array(JSONSchema?)
        /// An object with the listed members. Other members have the schema `others`; `nil` for any.
        case object([Property], others: JSONSchema?)
        /// A value that matches one of the schemas (`oneOf`, `anyOf`, or a `type` with several names).
        case alternatives([JSONSchema])
        /// A value that matches all schemas (`allOf`).
        case all([JSONSchema])
    }

    package struct Property: Sendable, Hashable {
        package var name: String
        package var schema: JSONSchema
        package var isRequired: Bool
    }

    /// The title, if the schema has one. Generated types are named after it.
    package var title: String?
    package var description: String?
    package var form: Form

    init(_ form: Form) { self.form = form }

    /// Reads a schema. Unknown and malformed parts are ignored, so that they allow any value.
    package init(_ json: JSONValue?) {
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
            // A schema can have `properties` beside `allOf`.
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
        // An array of schemas describes a tuple, which a generated type cannot express.
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
