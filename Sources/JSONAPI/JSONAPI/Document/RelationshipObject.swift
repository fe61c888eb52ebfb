// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A relationship object (JSON:API 1.1, "Relationships").
public struct RelationshipObject: Sendable, Hashable {
    /// The resource linkage.
    public enum Linkage: Sendable, Hashable {
        /// A reference to one resource, or `null` for an empty to-one relationship.
        case toOne(ResourceIdentifierObject?)
        /// References to any number of resources, in their order.
        case toMany([ResourceIdentifierObject])

        /// The identifiers: none for `null`, and the elements of an array.
        public var identifiers: [ResourceIdentifierObject] {
            switch self {
            case .toOne(let identifier): identifier.map { [$0] } ?? []
            case .toMany(let identifiers): identifiers
            }
        }
    }

    /// The resource linkage. It is `nil` if the member is absent: the related resources are then unknown.
    public var data: Linkage?
    /// The links of the relationship, such as `self` and `related`.
    public var links: Links?
    /// Meta information about the relationship.
    public var meta: RawObject?
    /// The other members, such as those of extensions.
    public var additionalMembers: RawMembers

    /// Creates a relationship.
    public init(
        data: Linkage? = nil, links: Links? = nil, meta: RawObject? = nil, additionalMembers: RawMembers = [:]
    ) {
        self.data = data
        self.links = links
        self.meta = meta
        self.additionalMembers = additionalMembers
    }
}

extension RelationshipObject: Codable, DocumentPart {
    init(reading json: RawJSON, with reader: DocumentReader) throws {
        self.init()
        additionalMembers = try reader.object(json) { name, value in
            let isNull = value.kind == .null
            switch name {
            case "data": data = try Linkage(reading: value, with: reader)
            case "links" where !isNull: links = try Links(reading: value, with: reader)
            case "meta" where !isNull: meta = try RawObject(reading: value, with: reader)
            default: return false
            }
            return true
        }
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            object.member("links", links)
            object.member("data", data)
            object.member("meta", meta)
        }
    }

    /// Reads a relationship.
    public init(from decoder: any Decoder) throws { try self.init(decodingFrom: decoder) }

    /// Writes the relationship.
    public func encode(to encoder: any Encoder) throws { try encodePart(to: encoder) }
}

extension RelationshipObject.Linkage: DocumentPart {
    init(reading json: RawJSON, with reader: DocumentReader) throws {
        switch json.kind {
        case .null: self = .toOne(nil)
        case .array: self = .toMany(try reader.array(json))
        case .object: self = .toOne(try ResourceIdentifierObject(reading: json, with: reader))
        default: throw DocumentError(.wrongKind(expected: [.null, .array, .object], found: json.kind))
        }
    }

    func write(to output: inout JSONOutput) {
        switch self {
        case .toOne(nil): output.null()
        case .toOne(let identifier?): identifier.write(to: &output)
        case .toMany(let identifiers): output.array(identifiers)
        }
    }
}
