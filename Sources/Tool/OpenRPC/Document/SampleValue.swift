// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

extension OpenRPCDocument {
    /// Returns a value that a schema allows, for a user to replace. An object has its required members only.
    ///
    /// Where a schema cannot be followed, is nested too deeply, or has too many parts, the value is `null`.
    package func sample(of schema: JSONSchema) -> JSONValue {
        var sampler = Sampler(document: self)
        return sampler.value(schema, depth: 0)
    }
}

private struct Sampler {
    let document: OpenRPCDocument
    /// The number of values that may still be made: schemas that refer to each other can describe very large values.
    private var room = 200
    private static let maximumDepth = 12

    init(document: OpenRPCDocument) { self.document = document }

    mutating func value(_ schema: JSONSchema, depth: Int) -> JSONValue {
        guard room > 0, depth < Self.maximumDepth else { return .null }
        room -= 1
        switch schema.form {
        case .any, .null: return .null
        case .boolean: return false
        case .integer, .number: return 0
        case .string: return "text"
        case .enumeration(let values): return values.first ?? .null
        case .reference(let reference):
            guard let target = JSONPointer(reference: reference)?.value(in: document.json) else { return .null }
            return value(JSONSchema(target), depth: depth + 1)
        case .array(let items): return .array(items.map { [value($0, depth: depth + 1)] } ?? [])
        case .object(let properties, _):
            var members = JSONObject()
            for property in properties where property.isRequired && room > 0 {
                members[property.name] = value(property.schema, depth: depth + 1)
            }
            return .object(members)
        case .alternatives(let schemas): return schemas.first.map { value($0, depth: depth + 1) } ?? .null
        case .all(let schemas):
            // Parts that are no objects narrow the first one.
            var whole: JSONValue?
            for schema in schemas where room > 0 {
                let part = value(schema, depth: depth + 1)
                guard case .object(let members) = part, case .object(var known) = whole ?? .object(JSONObject()) else {
                    whole = whole ?? part
                    continue
                }
                for (name, value) in members { known[name] = value }
                whole = .object(known)
            }
            return whole ?? .null
        }
    }
}
