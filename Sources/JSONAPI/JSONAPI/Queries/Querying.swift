// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests

/// A request with query parameters and values for its client. Each function returns a changed copy.
public protocol Querying: Sendable {
    /// The request without types and without the document that is made when it is sent.
    var request: JSONAPIRequest { get set }
}

extension Querying {
    /// The query.
    public var query: JSONAPIQuery {
        get { request.query }
        set { request.query = newValue }
    }

    /// The values for the client.
    public var userInfo: JSONAPIRequest.UserInfo {
        get { request.userInfo }
        set { request.userInfo = newValue }
    }

    func changing(_ change: (inout JSONAPIQuery) -> Void) -> Self {
        var copy = self
        change(&copy.request.query)
        return copy
    }

    /// Returns a copy with further values for the client. They replace those with the same keys.
    public func userInfo(_ values: JSONAPIRequest.UserInfo) -> Self {
        var copy = self
        copy.request.userInfo.merge(values) { $1 }
        return copy
    }

    /// Appends parameters, which are not checked.
    public func queryItems(_ items: [HTTPQueryItem]) -> Self { changing { $0.items += items } }

    /// Asks for related resources: `include(["author", "comments.author"])`. An empty array asks for none.
    public func include(_ paths: [String]) -> Self { changing { $0.include(paths) } }

    /// Limits the resources of some types to some fields, or to none: `fields(["articles": ["title", "author"]])`.
    public func fields(_ fields: KeyValuePairs<String, [String]>) -> Self {
        changing { query in for (type, names) in fields { query.fields(names, ofType: type) } }
    }

    /// Adds a parameter of an implementation or of an extension, see ``JSONAPIQuery/parameter(_:_:_:)``.
    public func parameter(_ base: String, _ keys: [String] = [], _ values: [String]) -> Self {
        changing { $0.parameter(base, keys, values) }
    }
}

/// A request for a collection.
public protocol CollectionQuerying: Querying {}

extension CollectionQuerying {
    /// Sorts the resources: `sort([.descending("created"), .ascending("title")])`.
    public func sort(_ keys: [JSONAPIQuery.Sort]) -> Self { changing { $0.sort(keys) } }

    /// Filters the resources: `filter("author", "1", "2")` makes `filter[author]=1,2`.
    public func filter(_ key: String, _ values: String...) -> Self { filter([key], values) }

    /// Filters the resources, see ``JSONAPIQuery/filter(_:_:)``.
    public func filter(_ keys: [String], _ values: [String]) -> Self { changing { $0.filter(keys, values) } }

    /// Asks for one page: `page(.number(2, size: 10))`.
    public func page(_ page: JSONAPIQuery.Page) -> Self { changing { $0.page(page) } }
}
