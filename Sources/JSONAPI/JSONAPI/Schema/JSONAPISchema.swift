// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The type of a resource in documents, and its fields.
public struct JSONAPISchema<R: Resource>: Sendable {
    /// The schema is one reference, because it is used for each resource.
    let table: FieldTable<R>

    /// The type in documents.
    public var type: String { table.type }

    /// The fields. If a name is repeated, the first field has it.
    public var fields: [JSONAPIField<R>] { table.fields }

    /// Creates a schema from the type in documents, the rule for the names in documents, and the fields.
    public init(_ type: String, keys: KeyStrategy = .asIs, _ fields: JSONAPIField<R>...) {
        self.init(type, keys: keys, fields: fields)
    }

    public init(_ type: String, keys: KeyStrategy = .asIs, fields: [JSONAPIField<R>]) {
        table = FieldTable(type: type, fields: fields.map { $0.named(keys($0.name)) })
    }

    /// Creates the schema of a type that has all fields of another one, which is the type of one of its properties.
    ///
    /// ```swift
    /// struct Contact: Resource {
    ///     var state = ResourceState<Contact>()
    ///     var person = Person()
    ///     var phone: String?
    ///
    ///     static let schema = JSONAPISchema(
    ///         "contacts", extending: Person.schema, at: \Contact.person,
    ///         .attribute("phone", \.phone))
    /// }
    /// ```
    ///
    /// The `state` of the inner resource is not used. An added field with the name of an inner one replaces it. The
    /// `keys` are the rule that makes the names in documents from those of the added fields.
    public init<Base: Resource>(
        _ type: String, extending base: JSONAPISchema<Base>, at path: any WritableKeyPath<R, Base> & Sendable,
        keys: KeyStrategy = .asIs, _ fields: JSONAPIField<R>...
    ) {
        self.init(type, extending: base, at: path, keys: keys, fields: fields)
    }

    /// Creates the schema of a type that has all fields of another one, from an array of added fields.
    public init<Base: Resource>(
        _ type: String, extending base: JSONAPISchema<Base>, at path: any WritableKeyPath<R, Base> & Sendable,
        keys: KeyStrategy = .asIs, fields: [JSONAPIField<R>]
    ) {
        let added = fields.map { $0.named(keys($0.name)) }
        let names = Set(added.map(\.name))
        let inner = base.fields.filter { !names.contains($0.name) }.map { $0.lifted(to: path) }
        table = FieldTable(type: type, fields: inner + added)
    }

    /// The field with the given name in documents.
    public subscript(name: String) -> JSONAPIField<R>? { table.positions[name].map { fields[$0] } }

    /// Returns the name in documents of the field with the given property, or `nil` if the property is not a field.
    public func name(of path: PartialKeyPath<R>) -> String? { position(of: path).map { fields[$0].name } }

    func requiredName(of path: PartialKeyPath<R>) throws(ResourceError) -> String {
        guard let name = name(of: path) else { throw unknownField(path) }
        return name
    }

    func unknownField(_ path: PartialKeyPath<R>) -> ResourceError {
        ResourceError(.unknownField(property: "\(path)"), ResourceObject(type: type))
    }

    func position(of path: PartialKeyPath<R>) -> Int? { fields.firstIndex { $0.path == path } }
}
