// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// An error object (JSON:API 1.1, "Error Objects").
///
/// A member whose value cannot be read is kept in ``additionalMembers``, so that it does not hide the error. Numbers
/// are read as strings in `id`, `status` and `code`.
public struct JSONAPIErrorObject: Error, Sendable, Hashable {
    /// The cause of an error in the request.
    public struct Source: Sendable, Hashable {
        /// A JSON pointer (RFC 6901) into the document of the request.
        public var pointer: String?
        /// The name of a query parameter.
        public var parameter: String?
        /// The name of a header field of the request.
        public var header: String?
        /// The other members, such as those of extensions.
        public var additionalMembers: RawMembers

        public init(
            pointer: String? = nil, parameter: String? = nil, header: String? = nil, additionalMembers: RawMembers = [:]
        ) {
            self.pointer = pointer
            self.parameter = parameter
            self.header = header
            self.additionalMembers = additionalMembers
        }
    }

    /// The id of this occurrence.
    public var id: String?
    /// Links, such as `about` and `type`.
    public var links: JSONAPILinks?
    /// The HTTP status code as a string.
    public var status: String?
    /// A code of the application.
    public var code: String?
    /// A summary, the same for each occurrence.
    public var title: String?
    /// An explanation of this occurrence.
    public var detail: String?
    /// The cause in the request.
    public var source: Source?
    /// Meta information about the error.
    public var meta: RawObject?
    /// The other members, such as those of extensions.
    public var additionalMembers: RawMembers

    public init(
        id: String? = nil, links: JSONAPILinks? = nil, status: String? = nil, code: String? = nil, title: String? = nil,
        detail: String? = nil, source: Source? = nil, meta: RawObject? = nil, additionalMembers: RawMembers = [:]
    ) {
        self.id = id
        self.links = links
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.source = source
        self.meta = meta
        self.additionalMembers = additionalMembers
    }
}

extension JSONAPIErrorObject: Codable, DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        self.init()
        var reader = reader
        reader.keepsUnreadableLinks = true
        reader.readsNumbersAsIDs = true
        additionalMembers = try reader.object(index) { [reader] in (try? read($0, $1, reader)) ?? false }
    }

    /// Returns whether the member is known.
    private mutating func read(_ name: String, _ value: Int, _ reader: DocumentReader) throws(DocumentFault) -> Bool {
        switch name {
        case "id": id = try reader.identification(value)
        case "links": links = try JSONAPILinks(reading: value, with: reader)
        case "status": status = try reader.identification(value)
        case "code": code = try reader.identification(value)
        case "title": title = try reader.string(value)
        case "detail": detail = try reader.string(value)
        case "source": source = try Source(reading: value, with: reader)
        case "meta": meta = try RawObject(reading: value, with: reader)
        default: return false
        }
        return true
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            object.member("id", id)
            object.member("links", links)
            object.member("status", status)
            object.member("code", code)
            object.member("title", title)
            object.member("detail", detail)
            object.member("source", source)
            object.member("meta", meta)
        }
    }
}

extension JSONAPIErrorObject.Source: DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        self.init()
        additionalMembers = try reader.object(index) { (name, value) throws(DocumentFault) in
            guard reader.tree.kind(at: value) == .string else { return false }
            switch name {
            case "pointer": pointer = try reader.string(value)
            case "parameter": parameter = try reader.string(value)
            case "header": header = try reader.string(value)
            default: return false
            }
            return true
        }
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            object.member("pointer", pointer)
            object.member("parameter", parameter)
            object.member("header", header)
        }
    }
}
