// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A set of fields of a schema, by their positions. It allocates only beyond 64 fields.
struct FieldSet: Sendable, Hashable {
    private var first: UInt64 = 0
    private var rest: Set<Int> = []

    func contains(_ position: Int) -> Bool {
        position < 64 ? first & (1 << UInt64(position)) != 0 : rest.contains(position)
    }

    mutating func insert(_ position: Int) {
        if position < 64 { first |= 1 << UInt64(position) } else { rest.insert(position) }
    }

    mutating func formUnion(_ other: FieldSet) {
        first |= other.first
        rest.formUnion(other.rest)
    }

    var isEmpty: Bool { first == 0 && rest.isEmpty }
}
