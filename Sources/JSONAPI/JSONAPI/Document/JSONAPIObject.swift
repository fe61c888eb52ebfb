// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The `jsonapi` member of a document (JSON:API 1.1, "JSON:API Object").
public struct JSONAPIObject: Sendable, Hashable {
    /// The highest version that the server supports. If it is absent, the server supports at least version 1.0.
    public var version: String?
    /// The URIs of the applied extensions. The media type, not this member, decides about them.
    public var ext: [String]?
    /// The URIs of the applied profiles.
    public var profile: [String]?
    /// Meta information.
    public var meta: RawObject?
    /// The other members, such as those of extensions.
    public var additionalMembers: RawMembers

    /// Creates the object.
    public init(
        version: String? = nil, ext: [String]? = nil, profile: [String]? = nil, meta: RawObject? = nil,
        additionalMembers: RawMembers = [:]
    ) {
        self.version = version
        self.ext = ext
        self.profile = profile
        self.meta = meta
        self.additionalMembers = additionalMembers
    }
}

extension JSONAPIObject: Codable, DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        self.init()
        additionalMembers = try reader.object(index) { (name, value) throws(DocumentFault) in
            let isNull = reader.tree.isNull(value)
            switch name {
            case "version" where !isNull: version = try reader.string(value)
            case "ext" where !isNull: ext = try reader.strings(value)
            case "profile" where !isNull: profile = try reader.strings(value)
            case "meta" where !isNull: meta = try RawObject(reading: value, with: reader)
            default: return false
            }
            return true
        }
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            object.member("version", version)
            object.member("ext", ext)
            object.member("profile", profile)
            object.member("meta", meta)
        }
    }

    public init(from decoder: any Decoder) throws { try self.init(decodingFrom: decoder) }
    public func encode(to encoder: any Encoder) throws { try encodePart(to: encoder) }
}
