// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The members of a JSON object in their order. Each name occurs once.
///
/// Names are compared by their UTF-8 bytes, so they are case-sensitive, and a composed and a decomposed "é" are two names.
public struct OrderedMembers<Value: Sendable>: Sendable {
    /// One member.
    public typealias Element = (name: String, value: Value)

    private var members: [Element] = []
    /// The position of each name, once there are more than ``linearCount`` of them.
    private var positions: [[UInt8]: Int] = [:]

    private static var linearCount: Int { 32 }

    /// Creates an object without members.
    public init() {}

    /// The value of a member, or `nil` if there is none. Setting `nil` removes the member. A new name is appended.
    public subscript(name: String) -> Value? {
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

    /// The names in the order of the members.
    public var names: [String] { members.map(\.name) }

    private mutating func append(_ name: String, _ value: Value) {
        members.append((name, value))
        if members.count > Self.linearCount + 1 {
            positions[Array(name.utf8)] = members.count - 1
        } else if members.count == Self.linearCount + 1 {
            index()
        }
    }

    private mutating func remove(at position: Int) {
        members.remove(at: position)
        positions = [:]
        if members.count > Self.linearCount { index() }
    }

    private mutating func index() {
        for (position, member) in members.enumerated() { positions[Array(member.name.utf8)] = position }
    }

    private func position(of name: String) -> Int? {
        if members.count > Self.linearCount { return positions[Array(name.utf8)] }
        return members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }
}

extension OrderedMembers: RandomAccessCollection {
    /// The position of the first member, which is 0.
    public var startIndex: Int { 0 }
    /// The number of members.
    public var endIndex: Int { members.count }
    /// The member at a position. It traps if the position is out of bounds.
    public subscript(position: Int) -> Element { members[position] }
}

extension OrderedMembers: ExpressibleByDictionaryLiteral {
    /// Creates an object. If a name is repeated, the last value wins.
    public init(dictionaryLiteral elements: (String, Value)...) {
        for (name, value) in elements { self[name] = value }
    }
}

extension OrderedMembers: Equatable where Value: Equatable {
    /// Returns whether two objects have equal members in the same order.
    public static func == (left: Self, right: Self) -> Bool {
        left.elementsEqual(right) { $0.name.utf8.elementsEqual($1.name.utf8) && $0.value == $1.value }
    }
}

extension OrderedMembers: Hashable where Value: Hashable {
    /// Hashes the names and the values.
    public func hash(into hasher: inout Hasher) {
        for (name, value) in members {
            hasher.combine(name)
            hasher.combine(value)
        }
        hasher.combine(members.count)
    }
}

/// Members with unparsed values.
///
/// The types of this module keep members here that the specification does not define: members of extensions
/// (`namespace:name`), @-members, and unknown ones. They are read, kept in order, and written again.
public typealias RawMembers = OrderedMembers<RawJSON>

extension OrderedMembers where Value == RawJSON {
    /// Adds the member whose name has the given number in a tree. A name that no `String` is is left out.
    mutating func add(_ name: Int, in tree: JSONTree) {
        guard let text = tree.string(at: name) else { return }
        self[text] = tree.json(at: name + 1)
    }

    /// Returns the members of the extension with the given namespace, with their full names.
    public func members(ofExtension namespace: String) -> [(name: String, value: RawJSON)] {
        filter { MemberName.kind(of: $0.name) == .extensionMember(namespace: namespace) }
    }

    /// The @-members, with their full names.
    public var atMembers: [(name: String, value: RawJSON)] {
        filter { MemberName.kind(of: $0.name) == .atMember }
    }
}
