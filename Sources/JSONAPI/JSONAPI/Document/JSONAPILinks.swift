// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A links object (JSON:API 1.1, "Links"). Any names are allowed. The order is kept.
@dynamicMemberLookup
public struct JSONAPILinks: Sendable, Hashable {
    /// The links by their names.
    public var members: OrderedMembers<JSONAPILink>
    /// The members that are no links: @-members, members of extensions, and, in an error object, links that cannot be read.
    public var additionalMembers: RawMembers

    /// Creates an object without members.
    public init() { self.init(OrderedMembers()) }

    /// Creates links.
    public init(_ members: OrderedMembers<JSONAPILink>, additionalMembers: RawMembers = [:]) {
        self.members = members
        self.additionalMembers = additionalMembers
    }

    /// The link with the given name. It is `nil` if the member is absent, and `.null` if the server says that the link does
    /// not exist. Setting `nil` removes the member.
    public subscript(name: String) -> JSONAPILink? {
        get { members[name] }
        set { members[name] = newValue }
    }

    /// The link with the given name, such as `links.next`. It is `nil` if the member is absent.
    ///
    /// Write `links["self"]` for the link `self`, because `self` is a word of Swift.
    public subscript(dynamicMember name: String) -> JSONAPILink? {
        get { members[name] }
        set { members[name] = newValue }
    }
}

extension JSONAPILinks: ExpressibleByDictionaryLiteral {
    /// Creates links. If a name is repeated, the last one wins.
    public init(dictionaryLiteral elements: (String, JSONAPILink)...) {
        self.init(OrderedMembers())
        for (name, link) in elements { members[name] = link }
    }
}

extension JSONAPILinks: Codable, DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        self.init(OrderedMembers())
        additionalMembers = try reader.object(index) { (name, value) throws(DocumentFault) in
            guard MemberName.kind(of: name) == .regular else { return false }
            do throws(DocumentFault) {
                members[name] = try JSONAPILink(reading: value, with: reader)
                return true
            } catch {
                guard reader.keepsUnreadableLinks else { throw error }
                return false
            }
        }
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            for (name, link) in members { object.member(name, link) }
        }
    }

    public init(from decoder: any Decoder) throws { try self.init(decodingFrom: decoder) }
    public func encode(to encoder: any Encoder) throws { try encodePart(to: encoder) }
}
