// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// Members that a protocol adds to the members of JSON-RPC, such as the `sessionId` of the Chrome DevTools Protocol.
///
/// ```swift
/// let members: ExtraMembers = ["sessionId": "abc", "attempt": JSONValue(attempt)]
/// ```
///
/// They are written after the other members, in the order in which they were set.
public struct ExtraMembers: Sendable {
    /// The names of JSON-RPC's own members, which cannot be set as extra members.
    public static let reservedNames: Set<String> = ["jsonrpc", "id", "method", "params", "result", "error"]

    /// The error for a name in ``ExtraMembers/reservedNames``.
    public struct ReservedName: Error, Sendable, Hashable, CustomStringConvertible {
        /// The reserved name.
        public var name: String

        public init(name: String) { self.name = name }

        public var description: String {
            "Could not set the extra member \"\(name)\": JSON-RPC reserves the name."
        }
    }

    private struct Member: Sendable, Hashable {
        var name: String
        var value: RawJSON
    }

    private final class Content: Sendable {
        let members: [Member]
        /// All members as JSON, each with a comma before it. It is stored because every message contains it.
        let bytes: [UInt8]

        init(_ members: [Member]) {
            self.members = members
            var bytes: [UInt8] = []
            for member in members {
                bytes.append(UInt8(ascii: ","))
                JSONText.writeString(member.name, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                bytes.append(contentsOf: member.value.bytes)
            }
            self.bytes = bytes
        }
    }

    /// `nil` if there are no members, as for most calls, so that no references are counted.
    private var content: Content?

    private var members: [Member] { content?.members ?? [] }
    /// All members as JSON, each with a comma before it.
    package var bytes: [UInt8] { content?.bytes ?? [] }
    /// The approximate memory of the members, in bytes: their JSON, and the name and the value of each.
    package var heldBytes: Int { content.map { 2 * $0.bytes.count + 112 * $0.members.count } ?? 0 }

    public init() {}

    /// Makes a list of a message's members that are not JSON-RPC's own. If a member is repeated, the last one wins.
    package init(of message: RawJSON) {
        // The message was validated when it was received.
        let all = (try? message.members()).flatMap { $0 } ?? []
        var members: [Member] = []
        var places: [String: Int] = [:]
        for member in all where !Self.reservedNames.contains(member.name) {
            if let place = places.updateValue(members.count, forKey: member.name) {
                places[member.name] = place
                members[place].value = Self.detached(member.value)
            } else {
                members.append(Member(name: member.name, value: Self.detached(member.value)))
            }
        }
        content = members.isEmpty ? nil : Content(members)
    }

    /// Returns a copy of the value, so that it does not keep the whole message alive.
    private static func detached(_ value: RawJSON) -> RawJSON { RawJSON(unchecked: Array(value.bytes)) }

    package var elements: [(name: String, value: RawJSON)] { members.map { ($0.name, $0.value) } }

    /// The names of the members, in order.
    public var names: [String] { members.map(\.name) }

    /// Whether there are no members.
    public var isEmpty: Bool { content == nil }

    /// The value of a member; `nil` if there is no such member.
    public subscript(_ name: String) -> RawJSON? { members.first { $0.name == name }?.value }

    /// Sets a member.
    ///
    /// - Throws: ``ReservedName`` for a name in ``reservedNames``. The members are unchanged then.
    @_disfavoredOverload
    public mutating func set(_ name: String, to value: JSONValue) throws(ReservedName) {
        try set(name, to: RawJSON(value))
    }

    /// Sets a member, or removes it if the value is `nil`.
    ///
    /// - Throws: ``ReservedName`` for a name in ``reservedNames``. The members are unchanged then.
    public mutating func set(_ name: String, to value: RawJSON?) throws(ReservedName) {
        guard !Self.reservedNames.contains(name) else { throw ReservedName(name: name) }
        var members = members
        let index = members.firstIndex { $0.name == name }
        switch (index, value) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append(Member(name: name, value: value))
        case (nil, nil): return
        }
        content = members.isEmpty ? nil : Content(members)
    }

    /// Returns these members and `others`. For a name in both, the value in `others` wins.
    public func merging(_ others: ExtraMembers) -> ExtraMembers {
        if others.isEmpty { return self }
        if isEmpty { return others }
        var merged = self
        for member in others.members {
            // The names in `others` were checked when they were set.
            try? merged.set(member.name, to: member.value)
        }
        return merged
    }
}

extension ExtraMembers {
    /// Makes members from a JSON object, in its order.
    ///
    /// - Throws: ``ReservedName`` for a name in ``reservedNames``.
    public init(_ members: JSONObject) throws(ReservedName) {
        for (name, value) in members { try set(name, to: RawJSON(value)) }
    }
}

extension ExtraMembers: ExpressibleByDictionaryLiteral {
    /// The name of a member in a literal, which must be a literal itself. For computed names, which may come from a
    /// peer, use `set(_:to:)`: it throws if the name is reserved.
    public struct LiteralName: ExpressibleByStringLiteral, Sendable {
        fileprivate let text: StaticString

        public init(stringLiteral text: StaticString) { self.text = text }
    }

    /// Makes members from a literal. If a name is repeated, the last value wins.
    ///
    /// - Precondition: No name is in ``reservedNames``.
    public init(dictionaryLiteral elements: (LiteralName, JSONValue)...) {
        for (name, value) in elements {
            do {
                try set("\(name.text)", to: RawJSON(value))
            } catch {
                // The name is a literal in the source code, so no peer can cause this.
                preconditionFailure("\(error)")
            }
        }
    }
}

extension ExtraMembers: Hashable {
    /// Whether both have the same members in the same order.
    public static func == (left: ExtraMembers, right: ExtraMembers) -> Bool { left.members == right.members }

    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension ExtraMembers: CustomStringConvertible {
    /// The names. The values are omitted because they may be confidential.
    public var description: String { names.joined(separator: ", ") }
}
