// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A resource identifier object (JSON:API 1.1, "Resource Identifier Objects").
public struct ResourceIdentifierObject: Sendable, Hashable {
    /// The type.
    public var type: String
    /// The id. It is `nil` for a resource that is not created yet.
    public var id: String?
    /// The local id, which identifies a resource without an id in its document.
    public var lid: String?
    /// Meta information about this reference, not about the resource.
    public var meta: RawObject?
    /// The other members, such as those of extensions.
    public var additionalMembers: RawMembers

    /// Creates an identifier.
    public init(
        type: String, id: String? = nil, lid: String? = nil, meta: RawObject? = nil, additionalMembers: RawMembers = [:]
    ) {
        self.type = type
        self.id = id
        self.lid = lid
        self.meta = meta
        self.additionalMembers = additionalMembers
    }
}

extension ResourceIdentifierObject: Codable, DocumentPart {
    init(reading json: RawJSON, with reader: DocumentReader) throws {
        self.init(type: "")
        var hasType = false
        additionalMembers = try reader.object(json) { name, value in
            let isNull = value.kind == .null
            switch name {
            case "type":
                type = try reader.string(value)
                hasType = true
            case "id" where !isNull: id = try reader.identification(value)
            case "lid" where !isNull: lid = try reader.identification(value)
            case "meta" where !isNull: meta = try RawObject(reading: value, with: reader)
            default: return false
            }
            return true
        }
        guard hasType else { throw DocumentError(.missingMember("type")) }
        guard id != nil || lid != nil else { throw DocumentError(.missingMember("id")) }
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            object.member("type", type)
            object.member("id", id)
            object.member("lid", lid)
            object.member("meta", meta)
        }
    }

    /// Reads an identifier.
    public init(from decoder: any Decoder) throws { try self.init(decodingFrom: decoder) }

    /// Writes the identifier.
    public func encode(to encoder: any Encoder) throws { try encodePart(to: encoder) }
}
