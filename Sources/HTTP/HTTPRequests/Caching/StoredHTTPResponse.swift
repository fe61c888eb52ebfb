// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
public import HTTPTypes

/// A response that a ``RevalidationInterceptor`` keeps.
public struct StoredHTTPResponse: Sendable, Hashable {
    /// The absolute URL of the request, with its query.
    public var url: String
    /// The fields of the request that select the response: `Accept`, `Authorization`, `Cookie`, and those that `Vary`
    /// names (RFC 9110 §12.5.5).
    public var selectingFields: HTTPFields
    /// The head.
    public var head: HTTPResponse
    /// The whole body, decompressed.
    public var body: [UInt8]

    public init(url: String, selectingFields: HTTPFields, head: HTTPResponse, body: [UInt8]) {
        self.url = url
        self.selectingFields = selectingFields
        self.head = head
        self.body = body
    }
}

extension StoredHTTPResponse: CustomStringConvertible {
    /// The URL, the status and the number of bytes of the body.
    public var description: String { "\(url): \(head.status.code), \(body.count) bytes" }
}

/// A place where a ``RevalidationInterceptor`` keeps responses, such as memory or a database.
public protocol HTTPResponseStore: Sendable {
    /// Returns the response that is stored for a URL.
    func response(for url: String) async -> StoredHTTPResponse?

    /// Stores a response, in place of an earlier response of the same URL. The store may drop it at any time.
    func store(_ response: StoredHTTPResponse) async
}

extension StoredHTTPResponse {
    private static let alwaysSelecting: [HTTPField.Name] = [.accept, .authorization, .cookie]

    /// The fields that describe the content as it was sent. A 304 does not change them (RFC 9111 §3.2).
    private static let unchangedFields: Set<HTTPField.Name> = [
        .connection, .contentEncoding, .contentLength, .contentRange, .transferEncoding,
    ]

    /// Returns a response to keep, without its body; `nil` if it must not or cannot be used again.
    init?(_ head: HTTPResponse, to request: HTTPRequest, at url: String) {
        guard head.status == .ok, head.headerFields.contains(.eTag) || head.headerFields.contains(.lastModified),
            !Self.forbidsStoring(head.headerFields), !Self.forbidsStoring(request.headerFields)
        else { return nil }
        var names = Set(Self.alwaysSelecting)
        for name in Self.elements(of: .vary, in: head.headerFields) {
            guard name != "*", let name = HTTPField.Name(name) else { return nil }
            names.insert(name)
        }
        var fields = HTTPFields()
        // A name without fields is kept, too: another request may have such a field.
        for name in names { fields[values: name] = request.headerFields[values: name] }
        self.init(url: url, selectingFields: fields, head: head, body: [])
    }

    /// Whether a request has the same selecting fields as the stored response.
    func isSelected(by request: HTTPRequest) -> Bool {
        let varying = Self.elements(of: .vary, in: head.headerFields).compactMap { HTTPField.Name($0) }
        return (Self.alwaysSelecting + varying).allSatisfy {
            selectingFields[values: $0] == request.headerFields[values: $0]
        }
    }

    /// Makes a request conditional: the server sends content only if the stored response is outdated (RFC 9110 §13.1).
    func addCondition(to fields: inout HTTPFields) {
        if let tag = head.headerFields[.eTag] {
            fields[.ifNoneMatch] = tag
        } else {
            fields[.ifModifiedSince] = head.headerFields[.lastModified]
        }
    }

    /// Up to this size, in bytes as ``heldBytes`` counts them, the fields of a 304 may enlarge a head.
    private static let largestUpdatedHead = 64 << 10

    /// Returns the response with the fields of a 304 (RFC 9111 §4.3.4).
    ///
    /// The fields of the head take at most 64 KiB afterwards, or no more than before. Fields of the 304 that do not fit
    /// are left out, those that need the most room first, and the head keeps its own fields of their names.
    func updated(by answer: HTTPResponse) -> Self {
        // The room that the fields of each name need in addition.
        var growth: [HTTPField.Name: Int] = [:]
        for field in answer.headerFields where !Self.unchangedFields.contains(field.name) {
            growth[field.name, default: 0] += field.heldBytes
        }
        for field in head.headerFields { growth[field.name]? -= field.heldBytes }
        var room = max(0, Self.largestUpdatedHead - head.headerFields.heldBytes)
        var taken: Set<HTTPField.Name> = []
        let order = growth.sorted { ($0.value, $0.key.canonicalName) < ($1.value, $1.key.canonicalName) }
        for (name, growth) in order where growth <= room {
            room -= growth
            taken.insert(name)
        }
        var response = self
        response.head.headerFields.removeAll { taken.contains($0.name) }
        response.head.headerFields += answer.headerFields.filter { taken.contains($0.name) }
        return response
    }

    /// About the number of bytes that the response occupies.
    var heldBytes: Int {
        url.utf8.count + selectingFields.heldBytes + head.status.reasonPhrase.utf8.count + head.headerFields.heldBytes
            + body.capacity + 200
    }

    private static func forbidsStoring(_ fields: HTTPFields) -> Bool {
        elements(of: .cacheControl, in: fields).contains("no-store")
    }

    /// The elements of a comma-separated field, in lower case.
    private static func elements(of name: HTTPField.Name, in fields: HTTPFields) -> [String] {
        fields[values: name].flatMap { FieldText.elements(of: $0) }.map { $0.lowercased() }
    }
}

extension HTTPFields {
    /// About the number of bytes that the fields occupy.
    fileprivate var heldBytes: Int { reduce(0) { $0 + $1.heldBytes } }
}

extension HTTPField {
    /// About the number of bytes that the field occupies. The name is kept twice, as sent and in lower case.
    fileprivate var heldBytes: Int { 2 * name.rawName.utf8.count + value.utf8.count + 200 }
}
