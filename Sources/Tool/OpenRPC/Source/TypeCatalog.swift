// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Converts schemas to types, and collects the necessary declarations in the order of their first use.
struct TypeCatalog {
    private let document: JSONValue
    private var taken: TakenNames
    private var references: [JSONPointer: SwiftType] = [:]
    /// References whose types are in progress and will be type aliases. A type alias cannot contain itself.
    private var open: Set<JSONPointer> = []
    /// Types of schemas with a title. Such a schema may occur several times and is declared once.
    private var titled: [JSONSchema: SwiftType] = [:]
    private(set) var declarations: [Declaration] = []
    private var declared: Set<String> = []
    /// The members of the objects at references that `allOf` has joined; `nil` for a schema that is no object. Schemas can
    /// share their parts, so each part is read once.
    private var objects: [JSONPointer: [JSONSchema.Property]?] = [:]
    /// The number of references that lead to the current type.
    private var depth = 0
    /// The number of schemas that the current one lies within, those of references included.
    private var level = 0

    private static let maximumDepth = 200
    private static let maximumLevel = 500
    private static let maximumDeclarations = 20_000

    /// `taken` are names that types must not have.
    init(document: JSONValue, taken: TakenNames) {
        self.document = document
        self.taken = taken
    }

    /// Returns the type for a schema.
    ///
    /// - Parameter context: The name of the type if it needs a name and the schema has no title.
    mutating func type(of schema: JSONSchema, _ context: String) throws(OpenRPCError) -> SwiftType {
        try enter()
        defer { level -= 1 }
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
            let wanted = SwiftName.type(schema.title ?? context)
            let name = taken.add(wanted)
            if schema.title != nil { titled[schema] = .named(name) }
            let type = try declare(schema, name, at: place)
            if schema.title != nil { titled[schema] = type }
            if !declared.contains(name) { taken.remove(name, addedFor: wanted) }
            return type
        }
    }

    /// Counts a level, so that no document can exhaust the stack.
    private mutating func enter() throws(OpenRPCError) {
        guard level < Self.maximumLevel else {
            throw OpenRPCError(
                "Schemas are nested more than \(Self.maximumLevel) levels deep, references included. "
                    + "Deeper levels are not supported.")
        }
        level += 1
    }

    private mutating func type(at reference: String) throws(OpenRPCError) -> SwiftType {
        let pointer = try Self.pointer(reference)
        if let known = references[pointer] { return known }
        if open.contains(pointer) { return .json }
        let schema = try self.schema(at: pointer, reference)
        if case .reference(let next) = schema.form {
            open.insert(pointer)
            defer { open.remove(pointer) }
            guard open.count < Self.maximumDepth else { throw Self.tooDeep(reference) }
            return try type(at: next)
        }
        guard depth < Self.maximumDepth else { throw Self.tooDeep(reference) }
        depth += 1
        defer { depth -= 1 }
        let name = taken.add(SwiftName.type(pointer.tokens.last ?? ""))
        let place = declarations.count
        let type: SwiftType
        if schema.needsName {
            references[pointer] = .named(name)
            type = try declare(schema, name, at: place)
            if type == .optional(.named(name)) {
                references[pointer] = type
                return type
            }
            if type != .named(name) { try insert(.alias(type), name, schema, at: place) }
            return .named(name)
        }
        open.insert(pointer)
        defer { open.remove(pointer) }
        type = try self.type(of: schema, name)
        try insert(.alias(type), name, schema, at: place)
        references[pointer] = .named(name)
        return .named(name)
    }

    private static func tooDeep(_ reference: String) -> OpenRPCError {
        OpenRPCError(
            "More than \(maximumDepth) schemas refer to each other in a chain, which reaches \(reference). "
                + "Longer chains are not supported.")
    }

    private mutating func insert(
        _ kind: Declaration.Kind, _ name: String, _ schema: JSONSchema, at place: Int
    ) throws(OpenRPCError) {
        // Types without a title are declared for each owner, so nested `allOf` could multiply them.
        guard declarations.count < Self.maximumDeclarations else {
            throw OpenRPCError("The document needs more than \(Self.maximumDeclarations) types.")
        }
        declarations.insert(Declaration(name: name, description: schema.description, kind: kind), at: place)
        declared.insert(name)
    }

    /// Declares a type and returns it. Returns another type if no declaration is necessary: for an optional, and for
    /// schemas that no type can express.
    private mutating func declare(
        _ schema: JSONSchema, _ name: String, at place: Int
    ) throws(OpenRPCError) -> SwiftType {
        let kind: Declaration.Kind
        var isOptional = false
        switch schema.form {
        case .object(let properties, _): kind = .structure(try self.properties(properties, of: name))
        case .all(let parts):
            guard let properties = try merged(parts) else { return .json }
            kind = .structure(try self.properties(properties, of: name))
        case .enumeration(let values):
            let present = values.filter { !$0.isNull }
            guard let enumeration = Self.enumeration(present) else { return .json }
            kind = enumeration
            isOptional = present.count < values.count
        case .alternatives(let parts):
            var types: [SwiftType] = []
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
            var names: TakenNames = []
            kind = .union(types.map { (names.add($0.caseName), $0) })
        default: return .json
        }
        try insert(kind, name, schema, at: place)
        return isOptional ? .optional(.named(name)) : .named(name)
    }

    private mutating func properties(
        _ properties: [JSONSchema.Property], of owner: String
    ) throws(OpenRPCError) -> [Declaration.Property] {
        var names: TakenNames = []
        var result: [Declaration.Property] = []
        for property in properties {
            let name = names.add(SwiftName.member(property.name))
            let type = try type(of: property.schema, owner + SwiftName.type(property.name))
            result.append(
                Declaration.Property(
                    name: name, jsonName: property.name, description: property.schema.description,
                    type: property.isRequired ? type : type.madeOptional, isRequired: property.isRequired))
        }
        return result
    }

    /// Returns the members of an object that matches all schemas; `nil` if one of them does not describe an object.
    private mutating func merged(_ parts: [JSONSchema]) throws(OpenRPCError) -> [JSONSchema.Property]? {
        var merged: [JSONSchema.Property] = []
        var places: [String: Int] = [:]
        for part in parts {
            guard let properties = try properties(of: part) else { return nil }
            for property in properties {
                if let index = places[property.name] {
                    merged[index].schema = property.schema
                    merged[index].isRequired = merged[index].isRequired || property.isRequired
                } else {
                    places[property.name] = merged.count
                    merged.append(property)
                }
            }
        }
        return merged
    }

    private mutating func properties(of schema: JSONSchema) throws(OpenRPCError) -> [JSONSchema.Property]? {
        try enter()
        defer { level -= 1 }
        switch schema.form {
        case .object(let properties, _): return properties
        case .all(let parts): return try merged(parts)
        case .reference(let reference):
            let pointer = try Self.pointer(reference)
            if let known = objects[pointer] { return known }
            let schema = try self.schema(at: pointer, reference)
            // A schema that is a part of itself is no object, and neither is one that contains it.
            objects[pointer] = .some(nil)
            let properties = try properties(of: schema)
            objects[pointer] = .some(properties)
            return properties
        default: return nil
        }
    }

    private static func pointer(_ reference: String) throws(OpenRPCError) -> JSONPointer {
        if let pointer = JSONPointer(reference: reference) { return pointer }
        throw OpenRPCError(externalReference: reference, at: "A schema")
    }

    private func schema(at pointer: JSONPointer, _ reference: String) throws(OpenRPCError) -> JSONSchema {
        if let json = pointer.value(in: document) { return JSONSchema(json) }
        throw OpenRPCError("A schema refers to \(reference), which does not exist in the document.")
    }

    private static func enumeration(_ values: [JSONValue]) -> Declaration.Kind? {
        var names: TakenNames = []
        var seen: Set<JSONValue> = []
        let values = values.filter { seen.insert($0).inserted }
        if values.isEmpty { return nil }
        let strings = values.compactMap(\.stringValue)
        if strings.count == values.count {
            return .enumeration(
                rawType: "String",
                cases: strings.map {
                    (names.add(SwiftName.member($0)), SwiftName.literal($0))
                })
        }
        let integers = values.compactMap(\.intValue)
        guard integers.count == values.count else { return nil }
        return .enumeration(
            rawType: "Int",
            cases: integers.map {
                (names.add($0 < 0 ? "minus\($0.magnitude)" : "value\($0)"), "\($0)")
            })
    }

    // MARK: Recursive types

    /// Boxes each property through which a structure would contain itself. Returns whether there is one.
    mutating func boxRecursiveProperties() -> Bool {
        var hasBoxes = false
        let places = Dictionary(
            declarations.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
        let recursive = placesNearCycles(places)
        for index in declarations.indices where recursive.contains(index) {
            guard case .structure(var properties) = declarations[index].kind else { continue }
            for position in properties.indices {
                guard let embedded = properties[position].type.embedded.flatMap({ places[$0] }),
                    holds(embedded, index, places)
                else { continue }
                properties[position].type = properties[position].type.boxing
                hasBoxes = true
            }
            declarations[index].kind = .structure(properties)
        }
        return hasBoxes
    }

    /// Returns the places of the declarations that contain each other in a cycle, or that contain such a declaration.
    private func placesNearCycles(_ places: [String: Int]) -> Set<Int> {
        let contents = declarations.map { $0.kind.embedded.compactMap { places[$0] } }
        var containers = [[Int]](repeating: [], count: contents.count)
        for (index, parts) in contents.enumerated() {
            for part in parts { containers[part].append(index) }
        }
        // A declaration that contains no other is in no cycle, nor is one that contains only such declarations.
        var counts = contents.map(\.count)
        var waiting = counts.indices.filter { counts[$0] == 0 }
        while let index = waiting.popLast() {
            for container in containers[index] {
                counts[container] -= 1
                if counts[container] == 0 { waiting.append(container) }
            }
        }
        return Set(counts.indices.filter { counts[$0] > 0 })
    }

    /// Returns whether a value of the first type contains a value of the second without a reference between them.
    private func holds(_ first: Int, _ wanted: Int, _ places: [String: Int]) -> Bool {
        var seen: Set<Int> = []
        var waiting = [first]
        while let index = waiting.popLast() {
            if index == wanted { return true }
            guard seen.insert(index).inserted else { continue }
            waiting += declarations[index].kind.embedded.compactMap { places[$0] }
        }
        return false
    }
}

extension Declaration.Kind {
    /// The names of the types whose values a value contains without a reference between them.
    fileprivate var embedded: [String] {
        switch self {
        case .structure(let properties): properties.compactMap(\.type.embedded)
        case .alias(let type): [type.embedded].compactMap(\.self)
        // The cases of a union are indirect.
        case .enumeration, .union: []
        }
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
