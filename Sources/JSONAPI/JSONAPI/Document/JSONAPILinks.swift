// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A links object (JSON:API 1.1, "Links"). Any names are allowed. The order is kept.
@dynamicMemberLookup
public struct JSONAPILinks: Sendable, Hashable {
    /// The links by their names.
    public var members: OrderedMembers<JSONAPILink>
    /// The members that are not links: @-members, members of extensions, and, in an error object, unreadable links.
    public var additionalMembers: RawMembers

    public init() { self.init(OrderedMembers()) }

    public init(_ members: OrderedMembers<JSONAPILink>, additionalMembers: RawMembers = [:]) {
        self.members = members
        self.additionalMembers = additionalMembers
    }

    /// The link with the given name. It is `nil` if the member is absent, and `.null` if the server says that the link
    /// does not exist. Setting `nil` removes the member.
    public subscript(name: String) -> JSONAPILink? {
        get { members[name] }
        set { members[name] = newValue }
    }

    /// The link with the given name, such as `links.next`. It is `nil` if the member is absent.
    ///
    /// Write `links["self"]` for the link `self`, because `self` is a keyword.
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
}

/// A link (JSON:API 1.1, "Links").
public enum JSONAPILink: Sendable, Hashable {
    /// The value `null`: the link does not exist.
    case null
    /// A URI reference (RFC 3986 §4.1), which can be relative.
    case reference(String)
    /// A link object.
    case object(LinkObject)

    /// The URI reference, which can be relative. It is `nil` if the link does not exist.
    public var href: String? {
        switch self {
        case .null: nil
        case .reference(let reference): reference
        case .object(let object): object.href
        }
    }
}

extension JSONAPILink: ExpressibleByStringLiteral {
    /// Creates a link from a URI reference.
    public init(stringLiteral value: String) { self = .reference(value) }
}

/// A link object (JSON:API 1.1, "Link objects").
public struct LinkObject: Sendable, Hashable {
    /// One language tag or several ones (RFC 5646), as they are in JSON.
    public enum Languages: Sendable, Hashable {
        /// A string.
        case one(String)
        /// An array of strings.
        case several([String])

        /// The language tags.
        public var tags: [String] {
            switch self {
            case .one(let tag): [tag]
            case .several(let tags): tags
            }
        }
    }

    /// The URI reference (RFC 3986 §4.1), which can be relative.
    public var href: String
    /// The relation type (RFC 8288 §2.1). If it is absent, the name of the link is the relation type.
    public var rel: String?
    /// A label for people.
    public var title: String?
    /// The media type of the target. It is a hint.
    public var type: String?
    /// The languages of the target. They are a hint.
    public var hreflang: Languages?
    /// Meta information about the link.
    public var meta: RawObject?
    /// The other members, such as those of extensions.
    public var additionalMembers: RawMembers
    /// The link to a description, as JSON: it can have a description of its own, to any depth.
    private var description: RawJSON?

    public init(
        href: String, rel: String? = nil, describedby: JSONAPILink? = nil, title: String? = nil, type: String? = nil,
        hreflang: Languages? = nil, meta: RawObject? = nil, additionalMembers: RawMembers = [:]
    ) {
        self.href = href
        self.rel = rel
        self.title = title
        self.type = type
        self.hreflang = hreflang
        self.meta = meta
        self.additionalMembers = additionalMembers
        self.describedby = describedby
    }

    /// A link to a description of the target, such as a JSON Schema. It is `nil` if the member is absent or not a link.
    public var describedby: JSONAPILink? {
        get { description.flatMap { try? JSONAPILink(json: $0) } }
        set { description = newValue?.rawJSON }
    }
}

extension LinkObject: DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        self.init(href: "")
        var hasReference = false
        additionalMembers = try reader.object(index) { (name, value) throws(DocumentFault) in
            let isNull = reader.tree.isNull(value)
            switch name {
            case "href":
                href = try reader.string(value)
                hasReference = true
            case "rel" where !isNull: rel = try reader.string(value)
            case "describedby":
                try JSONAPILink.expectLink(value, reader)
                description = reader.tree.json(at: value)
            case "title" where !isNull: title = try reader.string(value)
            case "type" where !isNull: type = try reader.string(value)
            case "hreflang" where reader.tree.kind(at: value) == .string: hreflang = .one(try reader.string(value))
            case "hreflang" where !isNull: hreflang = .several(try reader.array(value))
            case "meta" where !isNull: meta = try RawObject(reading: value, with: reader)
            default: return false
            }
            return true
        }
        guard hasReference else { throw DocumentFault(reason: .missingMember("href"), index: index) }
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            object.member("href", href)
            object.member("rel", rel)
            object.member("describedby", description)
            object.member("title", title)
            object.member("type", type)
            switch hreflang {
            case nil: break
            case .one(let tag): object.member("hreflang", tag)
            case .several(let tags): object.member("hreflang", tags)
            }
            object.member("meta", meta)
        }
    }
}

extension JSONAPILink: Codable, DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        switch reader.tree.entries[index].kind {
        case .string: self = .reference(try reader.string(index))
        case .object: self = .object(try LinkObject(reading: index, with: reader))
        default:
            try Self.expectLink(index, reader)
            self = .null
        }
    }

    fileprivate static func expectLink(_ index: Int, _ reader: DocumentReader) throws(DocumentFault) {
        let kinds: Set<JSONKind> = [.null, .string, .object]
        guard kinds.contains(reader.tree.kind(at: index)) else { throw reader.wrongKind(kinds, index) }
    }

    func write(to output: inout JSONOutput) {
        switch self {
        case .null: output.null()
        case .reference(let reference): output.string(reference)
        case .object(let object): object.write(to: &output)
        }
    }
}
