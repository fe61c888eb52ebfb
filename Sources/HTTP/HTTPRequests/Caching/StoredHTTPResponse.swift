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

    /// Makes a stored response.
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

    /// Returns the response with the fields of a 304 (RFC 9111 §4.3.4).
    func updated(by answer: HTTPResponse) -> Self {
        var response = self
        for name in Set(answer.headerFields.map(\.name)).subtracting(Self.unchangedFields) {
            response.head.headerFields[fields: name] = answer.headerFields[fields: name]
        }
        return response
    }

    private static func forbidsStoring(_ fields: HTTPFields) -> Bool {
        elements(of: .cacheControl, in: fields).contains("no-store")
    }

    /// The elements of a comma-separated field, in lower case.
    private static func elements(of name: HTTPField.Name, in fields: HTTPFields) -> [String] {
        fields[values: name].flatMap { FieldText.elements(of: $0) }.map { $0.lowercased() }
    }
}
