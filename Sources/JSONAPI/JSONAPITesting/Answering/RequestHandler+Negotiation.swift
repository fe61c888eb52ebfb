// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPSyntax
import HTTPTypes
import JSONAPI

/// Content negotiation (JSON:API 1.1, "Server Responsibilities").
extension RequestHandler {
    private static let extensions: Set = [AtomicOperations.uri]

    /// Returns the media type of the request's document. It is `nil` if there is no body.
    func documentType() throws(Refusal) -> JSONAPIMediaType? {
        guard request.body != nil else { return nil }
        let value = request.head.headerFields[.contentType] ?? ""
        guard let type = HTTPMediaType(value), let mediaType = JSONAPIMediaType(contentType: value) else {
            throw Refusal(415, "The media type is not \(JSONAPIMediaType.name).", header: "Content-Type")
        }
        guard hasOnlyKnownParameters(type) else {
            throw Refusal(415, "The media type has parameters other than ext and profile.", header: "Content-Type")
        }
        guard Self.extensions.isSuperset(of: mediaType.extensions) else {
            throw Refusal(415, "An extension is not supported.", header: "Content-Type")
        }
        return mediaType
    }

    /// Checks `Accept`. A request without this field accepts everything.
    func checkAccept() throws(Refusal) {
        guard let value = request.head.headerFields[.accept] else { return }
        let ranges = FieldText.elements(of: value).compactMap(HTTPMediaType.init)
        let isAccepted = ranges.contains { range in
            if range.essence == "*/*" || range.essence == "application/*" { return true }
            guard range.essence == JSONAPIMediaType.name, hasOnlyKnownParameters(range) else { return false }
            let uris = range["ext"]?.split(separator: " ").map(String.init) ?? []
            return Self.extensions.isSuperset(of: uris)
        }
        guard isAccepted else {
            throw Refusal(
                406, "No media type in Accept is \(JSONAPIMediaType.name) without unknown parameters.", header: "Accept"
            )
        }
    }

    /// Returns whether `ext` and `profile` are the only parameters. A weight does not count as a parameter.
    private func hasOnlyKnownParameters(_ type: HTTPMediaType) -> Bool {
        type.parameters.allSatisfy { ["ext", "profile", "q"].contains($0.name) }
    }
}
