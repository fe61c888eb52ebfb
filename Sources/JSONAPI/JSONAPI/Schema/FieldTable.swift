// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The fields of a schema, in the forms in which they are looked up.
final class FieldTable<R: Resource>: Sendable {
    let type: String
    let fields: [Field<R>]
    /// The names of the fields.
    private let names: [String]
    /// The functions of the fields.
    let accesses: [FieldAccess<R>]
    let relationships: [RelationshipAccess<R>]
    /// The positions of the fields by name.
    let positions: [String: Int]
    /// The positions of required fields.
    let required: [Int]

    init(type: String, fields: [Field<R>]) {
        self.type = type
        self.fields = fields
        names = fields.map(\.name)
        accesses = fields.map(\.access)
        relationships = fields.compactMap { if case .relationship(let access) = $0.access { access } else { nil } }
        positions = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        required = fields.indices.filter { fields[$0].options.contains(.required) }
    }

    /// Returns the position of the field with the name of a member. Fields often come in the order of the schema, so the field
    /// after the last one is tried first.
    func position(ofName member: Int, in tree: JSONTree, after last: Int) -> Int? {
        let next = last + 1
        if next < names.count, tree.isText(at: member, names[next]) { return next }
        return tree.string(at: member).flatMap { positions[$0] }
    }
}
