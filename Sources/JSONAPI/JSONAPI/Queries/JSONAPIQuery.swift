// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests

/// The query parameters of a request (JSON:API 1.1, "Query Parameters"), in the order in which they were added.
///
/// A repeated parameter extends the first one, because servers read only one. A second page replaces the first.
///
/// A name that the specification does not allow becomes the ``fault``. The request then fails before it is sent.
public struct JSONAPIQuery: Sendable, Hashable {
    /// The encoding of the specification: that of HTML forms, with brackets percent-encoded, and lists with commas.
    public static let encoding = HTTPQueryEncoding(
        characters: .form, spaces: .plus, nilValues: .emptyValue, arrays: .commaSeparated)

    /// The parameters, not yet encoded.
    public internal(set) var items: [HTTPQueryItem]
    /// The first name that the specification does not allow.
    public internal(set) var fault: JSONAPIQueryError?

    /// Creates a query from parameters, which are not checked. By default it is empty.
    public init(_ items: [HTTPQueryItem] = []) { self.items = items }

    /// Reads the query of a URL reference, such as a link to a page. `+` is a space.
    public init(ofLink reference: String) {
        let query = reference.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        self.init(FormURLEncoded.items(in: query.utf8))
    }

    /// The values of a parameter, split at commas; `nil` if the parameter is absent, and empty if it has no value.
    public subscript(name: String) -> [String]? {
        items.last { $0.name == name }.map { item in
            item.values.flatMap { $0.split(separator: ",").map(String.init) }
        }
    }

    mutating func extend(_ name: String, _ values: [String]) {
        let index = items.firstIndex { $0.name == name } ?? items.endIndex
        let all = (index == items.endIndex ? [] : items[index].values) + values
        // An empty list is sent as an empty value, which means "nothing".
        let item = all.isEmpty ? HTTPQueryItem(name, "") : HTTPQueryItem(name, all)
        items.replaceSubrange(index..<min(index + 1, items.endIndex), with: [item])
    }

    mutating func check(_ isLegal: Bool, _ parameter: String, _ text: String) {
        if !isLegal, fault == nil { fault = JSONAPIQueryError(parameter: parameter, text: text) }
    }
}

/// A name in a query that the specification does not allow.
public struct JSONAPIQueryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of parameter, such as `include`.
    public let parameter: String
    /// The text with the name.
    public let text: String

    public var description: String {
        """
        The query parameter `\(parameter)` cannot contain \(String(reflecting: String(text.prefix(200)))): it is not a \
        legal name.
        """
    }
}

extension HTTPQueryItem {
    fileprivate var values: [String] {
        switch value {
        case .none: []
        case .single(let text): text.isEmpty ? [] : [text]
        case .array(let texts): texts
        }
    }
}

extension JSONAPIQuery {
    /// Asks for related resources by paths: names of relationships joined by dots. An empty array asks for none.
    public mutating func include(_ paths: [String]) {
        for path in paths { check(Self.isPath(path), "include", path) }
        extend("include", paths)
    }

    /// Limits the resources of a type to some attributes and relationships, or to none of them.
    public mutating func fields(_ fields: [String], ofType type: String) {
        check(MemberName.isLegal(type), "fields", type)
        for field in fields { check(MemberName.isLegal(field), "fields[\(type)]", field) }
        extend("fields[\(type)]", fields)
    }

    /// Sorts the resources of a collection. The first key is the primary one.
    public mutating func sort(_ keys: [Sort]) {
        for key in keys { check(Self.isPath(key.field), "sort", key.field) }
        extend("sort", keys.map(\.text))
    }

    /// Filters a collection: the keys `["author", "name"]` make `filter[author][name]`, and no keys `filter`.
    ///
    /// The values are sent as a list with commas. Servers cannot recognize a comma within a value.
    public mutating func filter(_ keys: [String], _ values: [String]) {
        extend(family("filter", keys), values)
    }

    /// Asks for one page of a collection. It replaces the page that was asked for before.
    public mutating func page(_ page: Page) {
        let names = page.parameters.map { family("page", [$0.name]) }
        items.removeAll { $0.name.hasPrefix("page[") && !names.contains($0.name) }
        for (name, parameter) in zip(names, page.parameters) {
            items.removeAll { $0.name == name }
            items.append(HTTPQueryItem(name, parameter.value))
        }
    }

    /// Adds a parameter of an implementation or of an extension (JSON:API 1.1, "Query Parameter Families").
    ///
    /// - Parameters:
    ///   - base: The name of the family. The name for an implementation needs a character other than `a` to `z`. The
    ///     name for an extension is the namespace, a colon, and letters from `a` to `z`.
    ///   - keys: The names in the brackets. They can be empty, and can contain dots.
    ///   - values: The values, which are sent as a list with commas.
    public mutating func parameter(_ base: String, _ keys: [String] = [], _ values: [String]) {
        check(Self.isBase(base), "custom", base)
        extend(family(base, keys), values)
    }

    private mutating func family(_ base: String, _ keys: [String]) -> String {
        for key in keys { check(key.isEmpty || Self.isPath(key), base, key) }
        return base + keys.map { "[\($0)]" }.joined()
    }

    /// Whether a text is a list of legal member names with dots between them.
    private static func isPath(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { MemberName.isLegal(String($0)) }
    }

    private static func isBase(_ name: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        switch MemberName.kind(of: name) {
        case .regular: return MemberName.isLegal(name) && !name.utf8.allSatisfy(letters.contains)
        case .extensionMember(let namespace):
            let base = name.utf8.dropFirst(namespace.utf8.count + 1)
            return MemberName.isLegalNamespace(namespace) && !base.isEmpty && base.allSatisfy(letters.contains)
        case .atMember: return false
        }
    }
}

extension JSONAPIQuery {
    /// A key that resources are sorted by.
    public enum Sort: Sendable, Hashable {
        /// From the smallest value to the largest. The field can be a path with dots.
        case ascending(String)
        /// From the largest value to the smallest. The field can be a path with dots.
        case descending(String)

        var field: String {
            switch self {
            case .ascending(let field), .descending(let field): field
            }
        }

        var text: String {
            switch self {
            case .ascending(let field): field
            case .descending(let field): "-\(field)"
            }
        }
    }

    /// One page of a collection, by the paging strategy of the server.
    public struct Page: Sendable, Hashable {
        /// A parameter of the `page` family.
        public struct Parameter: Sendable, Hashable {
            /// The name in the brackets.
            public var name: String
            /// The value, not yet percent-encoded.
            public var value: String
        }

        /// The parameters, in their order.
        public var parameters: [Parameter]

        /// Creates a page of any strategy: `Page(["index": "3"])` makes `page[index]=3`.
        public init(_ parameters: KeyValuePairs<String, String>) {
            self.parameters = parameters.map { Parameter(name: $0.key, value: $0.value) }
        }

        private init(_ parameters: [(String, String?)]) {
            self.parameters = parameters.compactMap { name, value in value.map { Parameter(name: name, value: $0) } }
        }

        /// A page with a number: `page[number]`, and `page[size]` if there is a size.
        public static func number(_ number: Int, size: Int? = nil) -> Self {
            Self([("number", number.description), ("size", size?.description)])
        }

        /// The resources from an offset: `page[offset]`, and `page[limit]` if there is a limit.
        public static func offset(_ offset: Int, limit: Int? = nil) -> Self {
            Self([("offset", offset.description), ("limit", limit?.description)])
        }

        /// The resources after or before a cursor (profile): `page[after]`, `page[before]` and `page[size]`.
        public static func cursor(after: String? = nil, before: String? = nil, size: Int? = nil) -> Self {
            Self([("after", after), ("before", before), ("size", size?.description)])
        }
    }
}

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
