// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import JSONAPI
import WireJSON

/// The paging strategy of a mock server.
public struct MockPaging: Sendable, Hashable {
    enum Strategy: Hashable {
        case none, number, offset, cursor

        /// The parameters of the `page` family.
        var names: [String] {
            switch self {
            case .none: []
            case .number: ["number", "size"]
            case .offset: ["offset", "limit"]
            case .cursor: ["after", "before", "size"]
            }
        }
    }

    let strategy: Strategy
    /// The number of resources in a page if the request does not specify it.
    let size: Int

    /// No pages: the parameters of the `page` family are refused with the status 400.
    public static let none = Self(strategy: .none, size: 0)

    /// Pages by `page[number]`, which begins with 1, and `page[size]`.
    public static func pageNumber(size: Int) -> Self { Self(strategy: .number, size: max(1, size)) }

    /// Pages by `page[offset]` and `page[limit]`.
    public static func offset(limit: Int) -> Self { Self(strategy: .offset, size: max(1, limit)) }

    /// Pages by `page[after]` or `page[before]`, and `page[size]`, as the profile "Cursor Pagination" defines them.
    ///
    /// The cursor of each resource is in its `meta` as `page.cursor`.
    public static func cursor(size: Int) -> Self { Self(strategy: .cursor, size: max(1, size)) }
}

struct ResourcePage {
    var resources: [ResourceObject]
    /// The links `first`, `last`, `prev` and `next`. It is empty if there are no pages.
    var links = JSONAPILinks()
    var meta: RawObject?

    /// Takes the page that a query asks for. `url` is the URL of the collection without a query.
    init(
        of resources: [ResourceObject], query: ResourceQuery, options: MockJSONAPIServerOptions, url: String
    ) throws(Refusal) {
        self.resources = resources
        let strategy = options.paging.strategy
        if let unknown = query.page.keys.sorted().first(where: { !strategy.names.contains($0) }) {
            throw Refusal(400, "There is no such parameter of pages.", parameter: "page[\(unknown)]")
        }
        guard strategy != .none else { return }
        let sizeName = strategy == .offset ? "limit" : "size"
        let maximum = min(options.maximumPageSize, Int(Int32.max))
        let size: Int
        do throws(Refusal) {
            size = try Self.value(sizeName, query, default: options.paging.size, in: 1...maximum)
        } catch {
            let isTooLarge = query.page[sizeName].flatMap { Int($0) } ?? 0 > maximum
            throw strategy == .cursor && isTooLarge ? error.tooLarge(maximum) : error
        }
        func link(_ name: String, _ value: String) -> JSONAPILink {
            let page = [(name, value), (sizeName, "\(size)")]
            let items = query.itemsWithoutPage + page.map { HTTPQueryItem("page[\($0.0)]", $0.1) }
            return .reference("\(url)?\(HTTPQueryEncoding.form.encode(items))")
        }
        switch strategy {
        case .none: break
        case .number:
            let number = try Self.value("number", query, default: 1, in: 1...Int(Int32.max))
            take(from: (number - 1) * size, size) { link("number", "\($0 / size + 1)") }
        case .offset:
            let offset = try Self.value("offset", query, default: 0, in: 0...Int(Int32.max))
            take(from: offset, size) { link("offset", "\($0)") }
        case .cursor: try takeCursor(query, size, link)
        }
    }

    private static func value(
        _ name: String, _ query: ResourceQuery, default value: Int, in range: ClosedRange<Int>
    ) throws(Refusal) -> Int {
        guard let text = query.page[name] else { return min(value, range.upperBound) }
        guard let number = Int(text), range.contains(number) else {
            throw Refusal(
                400, "The value is not a number from \(range.lowerBound) to \(range.upperBound).",
                parameter: "page[\(name)]")
        }
        return number
    }

    /// Takes the resources from an offset. `link` makes the link to the page at an offset.
    private mutating func take(from offset: Int, _ size: Int, _ link: (Int) -> JSONAPILink) {
        let count = resources.count
        links = [
            "first": link(0), "last": link(max(0, (count - 1) / size * size)),
            "prev": offset > 0 ? link(max(0, offset - size)) : .null,
            "next": offset + size < count ? link(offset + size) : .null,
        ]
        meta = ["page": ["total": JSONValue(count)]]
        resources = Array(resources.dropFirst(offset).prefix(size))
    }

    private mutating func takeCursor(
        _ query: ResourceQuery, _ size: Int, _ link: (String, String) -> JSONAPILink
    ) throws(Refusal) {
        func position(_ name: String) throws(Refusal) -> Int? {
            guard let cursor = query.page[name] else { return nil }
            if let position = resources.firstIndex(where: { Self.cursor(of: $0) == cursor }) { return position }
            throw Refusal(400, "There is no such cursor.", parameter: "page[\(name)]")
        }
        var start = 0
        var end = resources.count
        if let after = try position("after") { start = after + 1 }
        if let before = try position("before") { end = max(start, before) }
        if query.page["before"] != nil, query.page["after"] == nil {
            start = max(start, end - size)
        } else {
            end = min(end, start + size)
        }
        let all = resources
        resources = all[start..<end].map(Self.marked)
        let (first, last) = (resources.first.map(Self.cursor), resources.last.map(Self.cursor))
        links = [
            "prev": start > 0 ? first.map { link("before", $0) } ?? .null : .null,
            "next": end < all.count ? last.map { link("after", $0) } ?? .null : .null,
        ]
    }

    private static func cursor(of resource: ResourceObject) -> String { "\(resource.type)-\(resource.id ?? "")" }

    private static func marked(_ resource: ResourceObject) -> ResourceObject {
        var resource = resource
        var members = resource.meta?.members ?? [:]
        members["page"] = RawJSON(["cursor": JSONValue(cursor(of: resource))])
        resource.meta = RawObject(members: members)
        return resource
    }
}

extension Refusal {
    /// The same refusal with the type that the profile "Cursor Pagination" has for pages that are too large.
    fileprivate func tooLarge(_ maximum: Int) -> Self {
        var copy = self
        for position in copy.errors.indices {
            copy.errors[position].links = [
                "type": "http://jsonapi.org/profiles/ethanresnick/cursor-pagination/max-size-exceeded"
            ]
            copy.errors[position].meta = ["page": ["maxSize": JSONValue(maximum)]]
        }
        return copy
    }
}
