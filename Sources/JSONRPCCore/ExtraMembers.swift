// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// Members which a protocol adds to its messages beside those of JSON-RPC: the `sessionId` of Chrome's DevTools
/// protocol, the `auth` of Zabbix.
///
/// They are written behind the other members, in the order in which they were set.
public struct ExtraMembers: Sendable {
    /// The names that belong to JSON-RPC and cannot be set here.
    public static let reservedNames: Set<String> = ["jsonrpc", "id", "method", "params", "result", "error"]

    /// Thrown by ``set(_:to:)``.
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

    /// Nil when there are none, as for most calls: then there is nothing to count references of.
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

    /// Sets a member, or removes it when the value is nil.
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

extension ExtraMembers: Hashable {
    /// Two are equal when they have the same members in the same order.
    public static func == (left: ExtraMembers, right: ExtraMembers) -> Bool { left.members == right.members }

    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension ExtraMembers: CustomStringConvertible {
    /// The names, without the values: they may be secrets.
    public var description: String { names.joined(separator: ", ") }
}
