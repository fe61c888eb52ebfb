// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The response to a request for a relationship.
public struct LinkageResponse<T: RelationshipTarget>: Sendable {
    /// The response of the server.
    public let response: ServerResponse
    /// The document, or `nil` if there is none.
    public let document: JSONAPIDocument?
    /// The references, or `nil` if the response has none: the linkage is then as it was sent, or the request is not
    /// processed yet.
    public let identifiers: [ResourceIdentifier<T>]?

    /// The outcome.
    public var outcome: ServerResponse.Outcome { response.outcome }

    init(_ response: ServerResponse, isToMany: Bool) throws(JSONAPIError) {
        self.response = response
        document = response.received.map { JSONAPIDocument($0, options: ResourceOptions()) }
        switch (response.document?.data.map(RelationshipObject.Linkage.init), isToMany) {
        case (nil, _): identifiers = nil
        case (.toOne(let object)?, false): identifiers = object.map { [ResourceIdentifier($0)] } ?? []
        case (.toMany(let objects)?, true): identifiers = objects.map { ResourceIdentifier($0) }
        case (.toOne?, true):
            let message = "The linkage is not an array, and the relationship is to-many."
            throw JSONAPIError(.notCollectionData, message, response: response)
        case (.toMany?, false):
            let message = "The linkage is an array, and the relationship is to-one."
            throw JSONAPIError(.notSingleData, message, response: response)
        }
    }
}

extension LinkageResponse where T: Resource {
    /// The ids, without those of other types. It is empty if the response has no linkage.
    public var ids: [T.ID] { (identifiers ?? []).compactMap(\.id) }
}
