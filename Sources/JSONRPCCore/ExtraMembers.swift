// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// Members that a protocol adds to its messages beside those of JSON-RPC, such as the `sessionId` of Chrome's DevTools
/// protocol.
///
/// ```swift
/// let members: ExtraMembers = ["sessionId": "abc", "attempt": JSONValue(attempt)]
/// ```
///
/// They are written behind the other members, in the order in which they were set.
public struct ExtraMembers: Sendable {
    /// The names that belong to JSON-RPC and cannot be set here.
    public static let reservedNames: Set<String> = ["jsonrpc", "id", "method", "params", "result", "error"]

    /// The error for a name in ``ExtraMembers/reservedNames``.
    public struct ReservedName: Error, Sendable, Hashable, CustomStringConvertible {
        public var name: String

        public init(name: String) { self.name = name }

        public var description: String {
            "The member \"\(name)\" belongs to JSON-RPC itself and cannot be set as an extra member."
        }
    }

    private struct Member: Sendable, Hashable {
        var name: String
        var value: RawJSON
    }

    private final class Content: Sendable {
        let members: [Member]
        /// All members as they are written, each with a comma before it; kept, since they go into every message.
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

    /// Nil if there are none, as for most calls: then no references are counted.
    private var content: Content?

    private var members: [Member] { content?.members ?? [] }
    package var bytes: [UInt8] { content?.bytes ?? [] }

    /// No members.
    public init() {}

    /// Those members of a message that do not belong to JSON-RPC. Of one that comes twice, the last counts.
    package init(of message: RawJSON) {
        // The message was found valid when it came.
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

    /// The value in storage of its own: whoever keeps it does not keep the message.
    private static func detached(_ value: RawJSON) -> RawJSON { RawJSON(unchecked: Array(value.bytes)) }

    package var elements: [(name: String, value: RawJSON)] { members.map { ($0.name, $0.value) } }

    /// The names, in order.
    public var names: [String] { members.map(\.name) }

    public var isEmpty: Bool { content == nil }

    /// A member's value.
    public subscript(_ name: String) -> RawJSON? { members.first { $0.name == name }?.value }

    /// Sets a member.
    ///
    /// - Throws: ``ReservedName`` for a name in ``reservedNames``; then nothing changes.
    @_disfavoredOverload
    public mutating func set(_ name: String, to value: JSONValue) throws(ReservedName) {
        try set(name, to: RawJSON(value))
    }

    /// Sets a member, or removes it if the value is nil.
    ///
    /// - Throws: ``ReservedName`` for a name in ``reservedNames``; then nothing changes.
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

    /// These members and `others`; where both have a name, the value in `others` counts.
    public func merging(_ others: ExtraMembers) -> ExtraMembers {
        if others.isEmpty { return self }
        if isEmpty { return others }
        var merged = self
        for member in others.members {
            // The names in `others` have passed the check already.
            try? merged.set(member.name, to: member.value)
        }
        return merged
    }
}

extension ExtraMembers {
    /// Takes the members of an object, in its order.
    ///
    /// - Throws: ``ReservedName`` for a name in ``reservedNames``.
    public init(_ members: JSONObject) throws(ReservedName) {
        for (name, value) in members { try set(name, to: RawJSON(value)) }
    }
}

extension ExtraMembers: ExpressibleByDictionaryLiteral {
    /// The name of a member in a literal. It is a literal itself. Computed names, which may come from a peer, go to
    /// `set(_:to:)`, which throws for those that are reserved.
    public struct LiteralName: ExpressibleByStringLiteral, Sendable {
        fileprivate let text: StaticString

        public init(stringLiteral text: StaticString) { self.text = text }
    }

    /// Makes members from a literal. If a name is repeated, the last value wins.
    ///
    /// - Precondition: no name is in ``reservedNames``.
    public init(dictionaryLiteral elements: (LiteralName, JSONValue)...) {
        for (name, value) in elements {
            do {
                try set("\(name.text)", to: RawJSON(value))
            } catch {
                // The name stands in the source, so this is the programmer's error; no peer can bring it about.
                preconditionFailure("\(error)")
            }
        }
    }
}

extension ExtraMembers: Hashable {
    /// Two are equal when they have the same members in the same order.
    public static func == (left: ExtraMembers, right: ExtraMembers) -> Bool { left.members == right.members }

    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension ExtraMembers: CustomStringConvertible {
    /// The names, without the values: they may be secrets.
    public var description: String { names.joined(separator: ", ") }
}
