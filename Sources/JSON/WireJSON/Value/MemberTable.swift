// swift-jsonrpc · SPDX-License-Identifier: MIT

/// An ordered table of members with unique names.
///
/// Names are compared by their UTF-8 bytes, as in ``JSONObject``.
@usableFromInline package struct MemberTable<Value: Sendable>: Sendable {
    @usableFromInline package var members: [(key: String, value: Value)] = []
    /// The position of each name, if there are more than ``linearCount`` names.
    @usableFromInline var positions: [NameBytes: Int] = [:]

    @inlinable static var linearCount: Int { 48 }

    @inlinable package init() {}

    /// The value of a member, or `nil` if there is none. Setting `nil` removes the member. A new name is appended.
    @inlinable package subscript(name: String) -> Value? {
        get { position(of: name).map { members[$0].value } }
        set {
            switch (position(of: name), newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): remove(at: position)
            case (nil, let value?): append(name, value)
            case (nil, nil): break
            }
        }
    }

    @inlinable package func position(of name: String) -> Int? {
        let name = NameBytes(text: name)
        if members.count > Self.linearCount { return positions[name] }
        for index in 0..<members.count where NameBytes(text: members[index].key) == name { return index }
        return nil
    }

    /// Adds a member with a new name.
    @inlinable package mutating func append(_ name: String, _ value: Value) {
        members.append((name, value))
        if members.count > Self.linearCount + 1 {
            positions[NameBytes(text: name)] = members.count - 1
        } else if members.count == Self.linearCount + 1 {
            index()
        }
    }

    @inlinable mutating func remove(at position: Int) {
        members.remove(at: position)
        positions = [:]
        if members.count > Self.linearCount { index() }
    }

    @inlinable mutating func index() {
        for (position, member) in members.enumerated() { positions[NameBytes(text: member.key)] = position }
    }
}
