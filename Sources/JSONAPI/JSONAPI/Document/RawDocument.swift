// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A JSON:API document (JSON:API 1.1, "Document Structure"), with the types of its resources not interpreted.
///
/// Reading is lenient. Unknown members, @-members and members of extensions are kept. Duplicates in `included`, linkage
/// to absent resources, and forbidden combinations such as `data` with `errors` are findings of a ``DocumentLinter``.
///
/// A member whose name escapes half of a surrogate pair is dropped, because no `String` can hold the name. If a member
/// is repeated, the last one wins. An optional member with the value `null` reads as absent, and is written again as
/// `null` unless it is replaced. Its `init(from:)` reads with the default options.
public struct RawDocument: Sendable, Hashable {
    /// The primary data. It is `nil` if the member is absent, and `.single(nil)` if it is `null`.
    public var data: PrimaryData?
    /// The errors. It is `nil` if the member is absent.
    public var errors: [JSONAPIErrorObject]?
    /// Meta information about the document.
    public var meta: RawObject?
    /// The links of the document, such as pagination links.
    public var links: JSONAPILinks?
    /// The resources that the primary data refer to. It is `nil` if the member is absent.
    public var included: [ResourceObject]?
    /// The `jsonapi` member. If it is absent, or has no version, the server supports at least version 1.0.
    public var jsonapi: JSONAPIObject?
    /// The other members, such as those of extensions.
    public var additionalMembers: RawMembers

    public init(
        data: PrimaryData? = nil, errors: [JSONAPIErrorObject]? = nil, meta: RawObject? = nil,
        links: JSONAPILinks? = nil,
        included: [ResourceObject]? = nil, jsonapi: JSONAPIObject? = nil, additionalMembers: RawMembers = [:]
    ) {
        self.data = data
        self.errors = errors
        self.meta = meta
        self.links = links
        self.included = included
        self.jsonapi = jsonapi
        self.additionalMembers = additionalMembers
    }

    /// Reads a document. It shares the storage of the bytes.
    ///
    /// - Throws: A ``DocumentError`` if the bytes are not JSON, if a value has a kind that cannot be read, if a
    ///   resource or an identifier has no `type`, or if a link object has no `href`.
    public init(parsing bytes: [UInt8], options: DocumentOptions = DocumentOptions()) throws(DocumentError) {
        try self.init(parsing: bytes[...], options: options)
    }

    /// Reads a document, as ``init(parsing:options:)-([UInt8],_)`` does.
    public init(parsing bytes: ArraySlice<UInt8>, options: DocumentOptions = DocumentOptions()) throws(DocumentError) {
        self = try DocumentReader.reading(bytes, options: options) { (reader) throws(DocumentFault) in
            try RawDocument(reading: 0, with: reader)
        }
    }

    /// The document as JSON text, without white space between the members that this module writes.
    public var bytes: [UInt8] { Array(rawJSON.bytes) }
}

extension RawDocument: Codable, DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        self.init()
        additionalMembers = try reader.object(index) { (name, value) throws(DocumentFault) in
            let isNull = reader.tree.isNull(value)
            switch name {
            case "data": data = try PrimaryData(reading: value, with: reader)
            case "errors" where !isNull: errors = try reader.array(value)
            case "meta" where !isNull: meta = try RawObject(reading: value, with: reader)
            case "links" where !isNull: links = try JSONAPILinks(reading: value, with: reader)
            case "included" where !isNull: included = try reader.array(value)
            case "jsonapi" where !isNull: jsonapi = try JSONAPIObject(reading: value, with: reader)
            default: return false
            }
            return true
        }
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            object.member("jsonapi", jsonapi)
            object.member("links", links)
            object.member("meta", meta)
            object.member("data", data)
            object.member("errors", errors)
            object.member("included", included)
        }
    }
}

/// The primary data of a document.
public enum PrimaryData: Sendable, Hashable {
    /// One resource object or identifier, or `null`.
    case single(ResourceObject?)
    /// An array of resource objects or identifiers, which can be empty.
    case collection([ResourceObject])

    /// The resources: none for `null`, and the elements of an array.
    public var resources: [ResourceObject] {
        switch self {
        case .single(let resource): resource.map { [$0] } ?? []
        case .collection(let resources): resources
        }
    }
}

extension PrimaryData: DocumentPart {
    init(_ linkage: RelationshipObject.Linkage) {
        func resource(_ identifier: ResourceIdentifierObject) -> ResourceObject {
            ResourceObject(
                type: identifier.type, id: identifier.id, lid: identifier.lid, meta: identifier.meta,
                additionalMembers: identifier.additionalMembers)
        }
        switch linkage {
        case .toOne(let identifier): self = .single(identifier.map(resource))
        case .toMany(let identifiers): self = .collection(identifiers.map(resource))
        }
    }

    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        switch reader.tree.entries[index].kind {
        case .null: self = .single(nil)
        case .array: self = .collection(try reader.array(index))
        case .object: self = .single(try ResourceObject(reading: index, with: reader))
        default: throw reader.wrongKind([.null, .array, .object], index)
        }
    }

    func write(to output: inout JSONOutput) {
        switch self {
        case .single(nil): output.null()
        case .single(let resource?): resource.write(to: &output)
        case .collection(let resources): output.array(resources)
        }
    }
}

/// Options for reading a document.
public struct DocumentOptions: Sendable, Hashable {
    /// Whether numbers are read as strings where the specification demands strings: in `id` and `lid`. The default is
    /// `false`, and such a document is refused.
    public var readsNumbersAsIDs = false
    /// Whether readable documents that violate a requirement of the specification are refused. The default is `false`.
    /// The violations are the findings of a ``DocumentLinter`` without recommendations.
    public var refusesViolations = false
    /// The limits for the JSON text. By default, arrays and objects can be nested 512 deep.
    public var limits = JSONLimits()

    public init() {}
}

/// The `jsonapi` member of a document (JSON:API 1.1, "JSON:API Object").
public struct JSONAPIObject: Sendable, Hashable {
    /// The highest version that the server supports. If it is absent, the server supports at least version 1.0.
    public var version: String?
    /// The URIs of the applied extensions. The media type, not this member, decides which are applied.
    public var ext: [String]?
    /// The URIs of the applied profiles.
    public var profile: [String]?
    /// Meta information.
    public var meta: RawObject?
    /// The other members, such as those of extensions.
    public var additionalMembers: RawMembers

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
            case "ext" where !isNull: ext = try reader.array(value)
            case "profile" where !isNull: profile = try reader.array(value)
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
}
