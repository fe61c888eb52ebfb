// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

// Without these, the description of a response would list each byte of its body as a number.

extension ServerResponse: CustomStringConvertible {
    /// The status, the media type and the number of bytes of the body.
    public var description: String {
        "\(status.code), \(headerFields[.contentType] ?? "no media type"), \(body.count) bytes"
    }
}

extension ResourceResponse: CustomStringConvertible {
    /// The response of the server and the type of the resource.
    public var description: String { "\(response); \(resource == nil ? "no resource" : "one `\(R.self)`")" }
}

extension ResourceCollectionResponse: CustomStringConvertible {
    /// The response of the server and the number of resources.
    public var description: String { "\(response); resources: \(resources.count)" }
}

extension LinkageResponse: CustomStringConvertible {
    /// The response of the server and the number of references.
    public var description: String {
        "\(response); " + (identifiers.map { "references: \($0.count)" } ?? "no linkage")
    }
}

extension RawResponse: CustomStringConvertible {
    /// The status and the number of bytes of the body.
    public var description: String {
        "\(head.map { "\($0.status.code)" } ?? "no head"), \(body?.count ?? 0) bytes"
    }
}

extension JSONAPIClientError: CustomStringConvertible {
    /// The error, the status, and the number of bytes of the body.
    public var description: String {
        switch self {
        case .failure(let error, let body, let head):
            "The request failed" + (head.map { " with status \($0.status.code)" } ?? "")
                + (error.map { ": \($0)" } ?? ".")
                + (body.map { " (\($0.count) bytes)" } ?? "")
        }
    }
}
