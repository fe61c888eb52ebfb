// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
public import HTTPTypes

/// A request whose response has one resource of the type `R`, or none.
///
/// It is a value: change it and send it as often as you like. A ``DataSource`` makes requests, and you can, too:
///
/// ```swift
/// let request = ResourceRequest<Article>(path: "/articles/newest", client: client)
/// let newest = try await request.include { [$0.authors] }.result().resource
/// ```
public struct ResourceRequest<R: Resource>: Querying {
    public var request: JSONAPIRequest
    /// The client that sends the request.
    public let client: any JSONAPISender
    /// The rules for making values of the resources in the response.
    public var options = ResourceOptions()
    /// The store that gets the resources of the response, or `nil` for none.
    public var store: ResourceStore?
    var id: String?
    /// The resource to send and the selection of its fields, or `nil` for none.
    let sent: (resource: R, selection: FieldSelection)?
}

// The initializer is in an extension, so that there is a memberwise one.
extension ResourceRequest {
    /// Creates a request that sends a resource, unless it is `nil`.
    ///
    /// By default, the fields that are sent are `new` for `POST`, and `changes` for other methods.
    public init(
        path: String, method: HTTPRequest.Method = .get, client: any JSONAPISender, resource: R? = nil,
        sending selection: FieldSelection? = nil
    ) {
        let selection = selection ?? (method == .post ? .new : .changes)
        self.init(
            request: JSONAPIRequest(path: path, method: method), client: client,
            sent: resource.map { ($0, selection) })
    }

    /// Sends the request, and reads its response. If the request updates a resource without changes, it is not sent.
    ///
    /// - Throws: A ``JSONAPIError``. The resource that was sent is a value, so a failure changes nothing in it.
    @concurrent public func result() async throws(JSONAPIError) -> ResourceResponse<R> {
        if let fault = request.fault { throw fault }
        var request = request
        if let sent {
            if request.method == .patch, sent.selection == .changes, !sent.resource.isDirty {
                return try ResourceResponse(ServerResponse(), to: self)
            }
            let object = try JSONAPIError.translating(.request) {
                try sent.resource.resourceObject(sending: sent.selection)
            }
            request.body = RawDocument(data: .single(object))
        }
        let response = try await client.send(request)
        let result = try ResourceResponse(response, to: self)
        if let store { await update(store, with: result, sent: request.body?.data?.resources.first) }
        return result
    }

    private func update(_ store: ResourceStore, with result: ResourceResponse<R>, sent: ResourceObject?) async {
        // The request is not processed yet: a document describes a job.
        if case .accepted = result.outcome { return }
        if request.method == .delete {
            if let id { await store.remove(type: R.resourceType, id: id) }
            return
        }
        if let document = result.document { await store.insert(document) }
        // A response without a resource means that the server has accepted the values as they were sent.
        if var sent, result.document?.firstObject == nil {
            sent.id = sent.id ?? result.resource?.id?.rawValue
            await store.insert([sent])
        }
    }

    /// Sends the request, and returns the resource of its response:
    /// `let article = try await articles.read(id: "1").resource()`.
    ///
    /// - Throws: A ``JSONAPIError``. Its code is ``JSONAPIError/Code/noData`` if the response has no resource.
    @concurrent public func resource() async throws(JSONAPIError) -> R {
        let response = try await result()
        guard let resource = response.resource else {
            throw JSONAPIError(.noData, "The response has no resource.", response: response.response)
        }
        return resource
    }
}

/// The response to a ``ResourceRequest``.
public struct ResourceResponse<R: Resource>: Sendable {
    /// The response of the server.
    public let response: ServerResponse
    /// The document, or `nil` if there is none.
    public let document: JSONAPIDocument?
    /// The resource.
    ///
    /// If a resource was sent, this is that resource with the server's changes, all of them confirmed. It is unchanged
    /// if the server will process the request later. If none was sent, this is the primary data. It is `nil` if there
    /// are none, or if the server will process the request later.
    public let resource: R?

    /// The outcome.
    public var outcome: ServerResponse.Outcome { response.outcome }
    /// The links of the document. They are empty if there is no document.
    public var links: JSONAPILinks { document?.links ?? JSONAPILinks() }

    init(_ response: ServerResponse, to request: ResourceRequest<R>) throws(JSONAPIError) {
        self.response = response
        document = response.typedDocument(request.options, request.query)
        if document?.shape == .collection {
            let message = "The primary data are an array, and one resource was expected."
            throw JSONAPIError(.notSingleData, message, response: response)
        }
        do {
            if case .accepted = response.outcome {
                // The document, if there is one, describes a job.
                resource = request.sent?.resource
                return
            }
            guard let sent = request.sent else {
                resource = try document?.resource(as: R.self)
                return
            }
            var merged = sent.resource
            if let document {
                merged.adoptID(of: document.firstObject, afterSending: sent.selection)
                try merged.merge(document, afterSending: sent.selection)
            } else {
                merged.markClean(afterSending: sent.selection)
            }
            resource = merged
        } catch {
            throw JSONAPIError(.resource, error.description, underlying: error, response: response)
        }
    }
}

extension ServerResponse {
    func typedDocument(_ options: ResourceOptions, _ query: JSONAPIQuery) -> JSONAPIDocument? {
        received.map { JSONAPIDocument($0, options: options.adding(fieldsetsOf: query)) }
    }
}

extension ResourceOptions {
    /// Returns the options with the fieldsets that a query asks for, except those of types that have one already.
    func adding(fieldsetsOf query: JSONAPIQuery) -> ResourceOptions {
        var options = self
        for item in query.items where item.name.hasPrefix("fields[") && item.name.hasSuffix("]") {
            let type = String(item.name.dropFirst(7).dropLast())
            if fieldsets[type] == nil { options.fieldsets[type] = Set(query[item.name] ?? []) }
        }
        return options
    }
}

extension Resource {
    /// Adopts the id of a new resource in the response. Servers can ignore the id that the client has chosen.
    mutating func adoptID(of received: ResourceObject?, afterSending selection: FieldSelection) {
        guard selection == .new, let id = received?.id else { return }
        self.id = ID(id)
    }
}
