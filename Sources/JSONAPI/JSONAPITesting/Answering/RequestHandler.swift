// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPSyntax
import HTTPTypes
import JSONAPI
import WireJSON

/// Answers one request. Unless the answer is a refusal, `table` is then the table after the request.
struct RequestHandler {
    let options: MockJSONAPIServerOptions
    let request: ReceivedHTTPRequest
    var table: ResourceTable

    private var origin: String { "\(request.head.scheme ?? "http")://\(request.head.authority ?? "")" }

    /// The URL of the API, without a slash at the end.
    var root: String { origin + options.basePath }

    /// The path of the request with its query.
    private var target: String { request.head.path ?? "/" }

    private var path: String { String(target.prefix { $0 != "?" }) }

    /// The URL of the request without its query.
    var url: String { origin + path }

    /// The URL of the request with its query.
    var selfLink: JSONAPILink { .reference(origin + target) }

    mutating func answer() throws(Refusal) -> Answer {
        // Brackets may be anywhere, because all servers accept them in a query.
        guard self.target.utf8.allSatisfy(ASCIISet.url.contains) else {
            throw Refusal(400, "The URL has illegal characters.")
        }
        try checkAccept()
        let mediaType = try documentType()
        guard let target = RequestTarget(path: path, options: options) else {
            throw Refusal(404, "There is nothing at this path.")
        }
        if let type = target.type { try checkType(type) }
        let query = try ResourceQuery(target: self.target)
        let isAtomic = mediaType?.extensions.contains(AtomicOperations.uri) ?? false
        guard isAtomic == (target == .operations) || mediaType == nil else {
            throw Refusal(415, "The extension of the media type is not the one of this path.", header: "Content-Type")
        }
        switch target {
        case .collection(let type): return try answerCollection(type, query)
        case .resource(let type, let id): return try answerResource(type, id, query)
        case .related(let type, let id, let name): return try answerRelated(type, id, name, query)
        case .relationship(let type, let id, let name): return try answerRelationship(type, id, name, query)
        case .operations: return try performOperations()
        }
    }

    /// The method, or the one that `X-HTTP-Method-Override` names in a `POST`.
    var method: HTTPRequest.Method {
        guard request.head.method == .post, let name = HTTPField.Name("X-HTTP-Method-Override"),
            let value = request.head.headerFields[name], let method = HTTPRequest.Method(value)
        else { return request.head.method }
        return method
    }

    func document() throws(Refusal) -> RawDocument {
        guard let body = request.body else { throw Refusal(400, "The request has no document.") }
        var linter = DocumentLinter()
        linter.allowsNewResources = true
        linter.extensionNamespaces = ["atomic"]
        let document: RawDocument
        let findings: [LintFinding]
        do {
            document = try RawDocument(parsing: body)
            findings = try linter.findings(in: body).filter(\.rule.isRequirement)
        } catch {
            throw Refusal(400, error.description, pointer: error.pointer)
        }
        guard findings.isEmpty || !options.refusesViolations else {
            throw Refusal(
                400,
                errors: findings.map { finding in
                    JSONAPIErrorObject(
                        status: "400", detail: finding.description,
                        source: JSONAPIErrorObject.Source(pointer: finding.pointer.description))
                })
        }
        return document
    }

    func checkType(_ type: String) throws(Refusal) {
        guard options.types?.contains(type) ?? true else { throw Refusal(404, "There is no type `\(type)`.") }
    }

    func existing(_ type: String, _ id: String) throws(Refusal) -> ResourceObject {
        guard let resource = table[type, id] else {
            throw Refusal(404, "There is no resource `\(type)` with the id `\(id)`.")
        }
        return resource
    }
}
