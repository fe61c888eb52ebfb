// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The members of a JSON object, in order. Each name occurs once.
///
/// Unlike Swift strings, names are compared by their UTF-8 bytes (RFC 8259 §8.3): a composed and a decomposed "é" are
/// two names. Two objects are equal if they have equal members in any order (RFC 8259 §4).
public struct JSONObject: Sendable {
    /// One member.
    public typealias Element = (key: String, value: JSONValue)

    private var table = MemberTable<JSONValue>()

    /// Creates an object without members.
    public init() {}

    /// The value of a member, or `nil` if there is none. Setting `nil` removes the member. A new name is appended.
    public subscript(name: String) -> JSONValue? {
        get { table[name] }
        set { table[name] = newValue }
    }

    /// The names in the order of the members.
    public var keys: [String] { table.members.map(\.key) }
    /// The values in the order of the members.
    public var values: [JSONValue] { table.members.map(\.value) }

    /// Adds a member with a new name.
    mutating func append(_ name: String, _ value: JSONValue) { table.append(name, value) }
}

extension JSONObject: RandomAccessCollection {
    /// The position of the first member, which is 0.
    public var startIndex: Int { 0 }
    public var endIndex: Int { table.members.count }
    /// The member at a position. It traps if the position is out of bounds.
    public subscript(position: Int) -> Element { table.members[position] }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object. If a name is repeated, the last value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// Creates an object from members. If a name is repeated, the last value wins.
    public init(_ members: some Sequence<Element>) {
        for (name, value) in members { self[name] = value }
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // The sum does not depend on the order of the members.
        var sum = 0
        for member in table.members {
            var inner = Hasher()
            inner.combine(NameBytes(text: member.key))
            inner.combine(member.value)
            sum &+= inner.finalize()
        }
        hasher.combine(table.members.count)
        hasher.combine(sum)
    }
}
