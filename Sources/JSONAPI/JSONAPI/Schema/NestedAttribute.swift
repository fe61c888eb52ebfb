// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// An object inside an attribute with a schema of its own: names in documents, and fields that are read but never sent.
///
/// If you need neither, use any `Codable` type. A nested attribute can be an attribute, the element of an array,
/// optional, or a field of another nested attribute:
///
/// ```swift
/// struct Tag: NestedAttribute {
///     var name: String?
///     var id: Int?
///
///     static let schema = NestedSchema<Tag>(.attribute("tagName", \.name), .attribute("id", \.id, .excluded))
/// }
/// ```
///
/// Unknown members are ignored. For an absent member, the value of `init()` is kept. `nil` is not written.
public protocol NestedAttribute: Codable, Equatable, Sendable {
    /// The fields. Declare it as `static let`, because it is made once.
    static var schema: NestedSchema<Self> { get }

    /// Creates a value with the defaults.
    init()
}

/// The fields of a ``NestedAttribute``.
public struct NestedSchema<Root: NestedAttribute>: Sendable {
    /// The fields, with their names in documents.
    public let fields: [JSONAPIField<Root>]
    let positions: [String: Int]

    /// Creates a schema. If a name is repeated, the first field has it. `createOnly` has no effect. The
    /// `keys` are the rule that makes the names in documents from those of the fields.
    public init(keys: KeyStrategy = .asIs, _ fields: JSONAPIField<Root>...) {
        let named = fields.map { $0.named(keys($0.name)) }
        self.fields = named
        positions = Dictionary(named.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension NestedAttribute {
    /// Reads the value by its schema.
    ///
    /// - Throws: A `DecodingError` if a member does not fit, or if a required one is missing.
    public init(from decoder: any Decoder) throws {
        self.init()
        let tree = try DocumentReader(try RawJSON(from: decoder)).tree
        guard tree.kind(at: 0) == .object else {
            let reason = ResourceError.Reason.unreadableAttribute(
                type: "\(Self.self)", found: tree.kind(at: 0), description: "expected an object")
            throw Self.error(FieldFault(reason: reason), decoder)
        }
        var present = FieldSet()
        var names = tree.names(in: 0)
        while let index = names.next(in: tree) {
            guard let name = tree.string(at: index), let position = Self.schema.positions[name],
                case .attribute(let access) = Self.schema.fields[position].access
            else { continue }
            do {
                try access.read(tree, index + 1, &self)
                present.insert(position)
            } catch {
                var fault = error as? FieldFault ?? FieldFault(reason: .refusedAttribute(description: "\(error)"))
                fault.pointer.tokens.insert(name, at: 0)
                throw Self.error(fault, decoder)
            }
        }
        for (position, field) in Self.schema.fields.enumerated()
        where field.options.contains(.required) && !present.contains(position) {
            throw Self.error(FieldFault(reason: .missingField(field.name)), decoder)
        }
    }

    private static func error(_ fault: FieldFault, _ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: fault.reason.fault, underlyingError: fault))
    }

    /// Writes the fields that are not excluded.
    ///
    /// - Throws: An `EncodingError`, or the error of a transform.
    public func encode(to encoder: any Encoder) throws {
        var members: [RawMembers.Element] = []
        for field in Self.schema.fields where !field.options.contains(.excluded) {
            guard case .attribute(let access) = field.access, !access.isNil(self) else { continue }
            members.append((field.name, try access.write(self)))
        }
        try RawObject(members: members).encode(to: encoder)
    }
}
