// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests

/// The query parameters of a request (JSON:API 1.1, "Fetching Data").
struct ResourceQuery {
    struct SortField {
        var path: [String]
        var isDescending: Bool
        var text: String
    }

    /// The paths of relationships. It is `nil` if the parameter is absent.
    var include: [[String]]?
    var fields: [String: Set<String>] = [:]
    var sort: [SortField] = []
    /// The names in the brackets of `filter`, joined by dots, and the values. A plain `filter` has an empty name.
    var filters: [(name: String, value: String)] = []
    /// The values of the `page` family, such as `size`.
    var page: [String: String] = [:]
    /// The parameters outside the `page` family, for links to other pages.
    var itemsWithoutPage: [HTTPQueryItem] = []

    init(target: String) throws(Refusal) {
        let query = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        for item in FormURLEncoded.items(in: query.utf8) {
            var text = ""
            if case .single(let value) = item.value { text = value }
            let family = item.name.prefix { $0 != "[" }
            let inner = item.name.dropFirst(family.count + 1).dropLast()
            try read(item.name, family: String(family), inner: String(inner), text)
            if family != "page" { itemsWithoutPage.append(item) }
        }
    }

    private mutating func read(_ name: String, family: String, inner: String, _ text: String) throws(Refusal) {
        let isPlain = family.count == name.count
        switch family {
        case "include" where isPlain: include = Self.list(text).map(Self.path)
        case "sort" where isPlain:
            sort = Self.list(text).map { field in
                let isDescending = field.first == "-"
                let path = Self.path(isDescending ? String(field.dropFirst()) : field)
                return SortField(path: path, isDescending: isDescending, text: field)
            }
        case "filter": filters.append((isPlain ? "" : inner.split(separator: "][").joined(separator: "."), text))
        case "fields" where !isPlain: fields[inner] = Set(Self.list(text))
        case "page" where !isPlain: page[inner] = text
        default:
            // Names of letters from a to z are reserved, so an unknown one is a fault. Others may be ignored.
            guard !family.isEmpty, family.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { return }
            throw Refusal(400, "There is no query parameter with this name.", parameter: name)
        }
    }

    private static func list(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }

    private static func path(_ text: String) -> [String] { text.split(separator: ".").map(String.init) }
}
