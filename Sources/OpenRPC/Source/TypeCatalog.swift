// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Converts schemas to types, and collects the necessary declarations in the order of their first use.
struct TypeCatalog {
    private let document: JSONValue
    private var taken: Set<String>
    private var references: [JSONPointer: SwiftType] = [:]
    /// References whose types are in progress and will be type aliases. A type alias cannot contain itself.
    private var open: Set<JSONPointer> = []
    /// Types of schemas with a title. Such a schema may occur several times and is declared once.
    private var titled: [JSONSchema: SwiftType] = [:]
    private(set) var declarations: [Declaration] = []
    /// The number of references that lead to the current type.
    private var depth = 0

    private static let maximumDepth = 200

    /// Makes an empty catalog.
    ///
    /// - Parameter taken: Names that types must not have.
    init(document: JSONValue, taken: Set<String>) {
        self.document = document
        self.taken = taken
    }

    /// Returns the type for a schema.
    ///
    /// - Parameter context: The name of the type if it needs a name and the schema has no title.
    /// - Throws: ``OpenRPCError`` if a reference cannot be followed.
    mutating func type(of schema: JSONSchema, _ context: String) throws(OpenRPCError) -> SwiftType {
        switch schema.form {
        case .any, .null: return .json
        case .boolean: return .named("Bool")
        case .integer: return .named("Int")
        case .number: return .named("Double")
        case .string: return .named("String")
        case .reference(let reference): return try type(at: reference)
        case .array(let items):
            guard let items else { return .array(.json) }
            return .array(try type(of: items, context + "Item"))
        case .object(let properties, let others) where properties.isEmpty:
            guard let others else { return .dictionary(.json) }
            return .dictionary(try type(of: others, context + "Value"))
        case .object, .enumeration, .alternatives, .all:
            if schema.title != nil, let known = titled[schema] { return known }
            // The position is taken first, because the declaration may add further declarations.
            let place = declarations.count
            let name = SwiftName.unique(SwiftName.type(schema.title ?? context), among: &taken)
            if schema.title != nil { titled[schema] = .named(name) }
            let type = try declare(schema, name, at: place)
            if schema.title != nil { titled[schema] = type }
            if !declarations.contains(where: { $0.name == name }) { taken.remove(name) }
            return type
        }
    }

    private mutating func type(at reference: String) throws(OpenRPCError) -> SwiftType {
        guard let pointer = JSONPointer(reference: reference) else {
            throw OpenRPCError(externalReference: reference, at: "A schema")
        }
        if let known = references[pointer] { return known }
        if open.contains(pointer) { return .json }
        guard let json = pointer.value(in: document) else {
            throw OpenRPCError("A schema refers to \(reference), which does not exist in the document.")
        }
        let schema = JSONSchema(json)
        if case .reference(let next) = schema.form {
            open.insert(pointer)
            defer { open.remove(pointer) }
            guard open.count < Self.maximumDepth else {
                throw Self.tooDeep(reference)
            }
            return try type(at: next)
        }
        guard depth < Self.maximumDepth else {
            throw Self.tooDeep(reference)
        }
        depth += 1
        defer { depth -= 1 }
        let name = SwiftName.unique(SwiftName.type(pointer.tokens.last ?? ""), among: &taken)
        let place = declarations.count
        let type: SwiftType
        if schema.needsName {
            references[pointer] = .named(name)
            type = try declare(schema, name, at: place)
            if type == .optional(.named(name)) {
                references[pointer] = type
                return type
            }
            if type != .named(name) { declareAlias(name, of: type, schema, at: place) }
            return .named(name)
        }
        open.insert(pointer)
        defer { open.remove(pointer) }
        type = try self.type(of: schema, name)
        declareAlias(name, of: type, schema, at: place)
        references[pointer] = .named(name)
        return .named(name)
    }

    private static func tooDeep(_ reference: String) -> OpenRPCError {
        OpenRPCError(
            "More than \(maximumDepth) schemas refer to each other in a chain, which reaches \(reference). "
                + "Longer chains are not supported.")
    }

    private mutating func declareAlias(_ name: String, of type: SwiftType, _ schema: JSONSchema, at place: Int) {
        declarations.insert(Declaration(name: name, description: schema.description, kind: .alias(type)), at: place)
    }

    /// Declares a type and returns it. Returns another type if no declaration is necessary: for an optional, and for
    /// schemas that no type can express.
    private mutating func declare(
        _ schema: JSONSchema, _ name: String, at place: Int
    ) throws(OpenRPCError) -> SwiftType {
        let kind: Declaration.Kind
        switch schema.form {
        case .object(let properties, _): kind = .structure(try self.properties(properties, of: name))
        case .all(let parts):
            guard let properties = merged(parts) else { return .json }
            kind = .structure(try self.properties(properties, of: name))
        case .enumeration(let values):
            let present = values.filter { !$0.isNull }
            guard let enumeration = Self.enumeration(present) else { return .json }
            kind = enumeration
            if present.count < values.count {
                declarations.insert(Declaration(name: name, description: schema.description, kind: kind), at: place)
                return .optional(.named(name))
            }
        case .alternatives(let parts):
            var types: [SwiftType] = []
            var isOptional = false
            for (index, part) in parts.enumerated() {
                if part.form == .null {
                    isOptional = true
                    continue
                }
                let type = try type(of: part, "\(name)Option\(index + 1)")
                if !types.contains(type) { types.append(type) }
            }
            if types.count == 1 { return isOptional ? types[0].madeOptional : types[0] }
            guard !types.isEmpty, !types.contains(.json) else { return .json }
            var names: Set<String> = []
            kind = .union(types.map { (SwiftName.unique($0.caseName, among: &names), $0) })
            if isOptional {
                declarations.insert(Declaration(name: name, description: schema.description, kind: kind), at: place)
                return .optional(.named(name))
            }
        default: return .json
        }
        declarations.insert(Declaration(name: name, description: schema.description, kind: kind), at: place)
        return .named(name)
    }

    private mutating func properties(
        _ properties: [JSONSchema.Property], of owner: String
    ) throws(OpenRPCError) -> [Declaration.Property] {
        var names: Set<String> = []
        var result: [Declaration.Property] = []
        for property in properties {
            let name = SwiftName.unique(SwiftName.member(property.name), among: &names)
            let type = try type(of: property.schema, owner + SwiftName.type(property.name))
            result.append(
                Declaration.Property(
                    name: name, jsonName: property.name, description: property.schema.description,
                    type: property.isRequired ? type : type.madeOptional, isRequired: property.isRequired))
        }
        return result
    }

    /// Returns the members of an object that matches all schemas; `nil` if one of them does not describe an object.
    private func merged(_ parts: [JSONSchema], _ seen: Set<JSONPointer> = []) -> [JSONSchema.Property]? {
        var merged: [JSONSchema.Property] = []
        for part in parts {
            guard let properties = properties(of: part, seen) else { return nil }
            for property in properties {
                if let index = merged.firstIndex(where: { $0.name == property.name }) {
                    merged[index].schema = property.schema
                    merged[index].isRequired = merged[index].isRequired || property.isRequired
                } else {
                    merged.append(property)
                }
            }
        }
        return merged
    }

    private func properties(of schema: JSONSchema, _ seen: Set<JSONPointer>) -> [JSONSchema.Property]? {
        switch schema.form {
        case .object(let properties, _): return properties
        case .all(let parts): return merged(parts, seen)
        case .reference(let reference):
            guard let pointer = JSONPointer(reference: reference), !seen.contains(pointer),
                seen.count < Self.maximumDepth, let json = pointer.value(in: document)
            else { return nil }
            return properties(of: JSONSchema(json), seen.union([pointer]))
        default: return nil
        }
    }

    private static func enumeration(_ values: [JSONValue]) -> Declaration.Kind? {
        var names: Set<String> = []
        var seen: Set<JSONValue> = []
        let values = values.filter { seen.insert($0).inserted }
        if values.isEmpty { return nil }
        let strings = values.compactMap(\.stringValue)
        if strings.count == values.count {
            return .enumeration(
                rawType: "String",
                cases: strings.map {
                    (SwiftName.unique(SwiftName.member($0), among: &names), SwiftName.literal($0))
                })
        }
        let integers = values.compactMap(\.intValue)
        guard integers.count == values.count else { return nil }
        return .enumeration(
            rawType: "Int",
            cases: integers.map {
                (SwiftName.unique($0 < 0 ? "minus\($0.magnitude)" : "value\($0)", among: &names), "\($0)")
            })
    }

    // MARK: Recursive types

    /// Boxes each property through which a structure would contain itself.
    mutating func boxRecursiveProperties() {
        for index in declarations.indices {
            guard case .structure(var properties) = declarations[index].kind else { continue }
            let owner = declarations[index].name
            for position in properties.indices {
                guard let embedded = properties[position].type.embedded, holds(embedded, owner) else { continue }
                properties[position].type = properties[position].type.boxing
            }
            declarations[index].kind = .structure(properties)
        }
    }

    /// Returns whether a value of the first type contains a value of the second without a reference between them.
    private func holds(_ name: String, _ wanted: String) -> Bool {
        var seen: Set<String> = []
        var waiting = [name]
        while let name = waiting.popLast() {
            if name == wanted { return true }
            guard seen.insert(name).inserted, let declaration = declarations.first(where: { $0.name == name }) else {
                continue
            }
            switch declaration.kind {
            case .structure(let properties): waiting += properties.compactMap(\.type.embedded)
            case .alias(let type): waiting += [type.embedded].compactMap(\.self)
            // The cases of a union are indirect.
            case .enumeration, .union: break
            }
        }
        return false
    }
}

extension JSONSchema {
    /// Whether the type of the schema must be declared.
    fileprivate var needsName: Bool {
        switch form {
        case .object(let properties, _): !properties.isEmpty
        case .enumeration, .alternatives, .all: true
        case .any, .null, .boolean, .integer, .number, .string, .reference, .array: false
        }
    }
}
