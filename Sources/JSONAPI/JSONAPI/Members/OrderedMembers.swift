// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The members of a JSON object in their order. Each name occurs once.
///
/// Names are compared by their UTF-8 bytes, so they are case-sensitive, and a composed and a decomposed "é" differ.
public struct OrderedMembers<Value: Sendable>: Sendable {
    /// One member.
    public typealias Element = (name: String, value: Value)

    private var table = MemberTable<Value>()

    public init() {}

    /// The value of a member, or `nil` if there is none. Setting `nil` removes the member. A new name is appended.
    public subscript(name: String) -> Value? {
        get { table[name] }
        set { table[name] = newValue }
    }

    /// The names in the order of the members.
    public var names: [String] { table.members.map(\.key) }
}

extension OrderedMembers: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { table.members.count }
    /// The member at a position. It traps if the position is out of bounds.
    public subscript(position: Int) -> Element {
        let member = table.members[position]
        return (member.key, member.value)
    }
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
    public func hash(into hasher: inout Hasher) {
        for (name, value) in table.members {
            hasher.combine(name)
            hasher.combine(value)
        }
        hasher.combine(table.members.count)
    }
}

/// Members with unparsed values.
///
/// The types of this module keep members here that the specification does not define: members of extensions
/// (`namespace:name`), @-members, and unknown ones. They are read, kept in order, and written again.
public typealias RawMembers = OrderedMembers<RawJSON>

extension OrderedMembers where Value == RawJSON {
    /// Adds the member whose name has the given number in a tree. A name that no `String` can hold is left out.
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
