// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests

/// The query parameters of a request (JSON:API 1.1, "Query Parameters"), in the order in which they were added.
///
/// A parameter that is added again extends the value of the first one, because servers read one value of a parameter. A
/// page replaces the page before.
///
/// Names are checked: a name that the specification does not allow becomes the ``fault``, with which a request fails before
/// it is sent.
public struct JSONAPIQuery: Sendable, Hashable {
    /// The encoding of the specification: that of HTML forms, with brackets percent-encoded, and with commas between the
    /// values of a list.
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

    /// The values of a parameter, split at commas. It is `nil` if the parameter is absent, and empty if it has no value.
    public subscript(name: String) -> [String]? {
        items.last { $0.name == name }.map { item in
            item.values.flatMap { $0.split(separator: ",").map(String.init) }
        }
    }

    /// Appends values to the list of a parameter.
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
    /// The values that are not empty.
    fileprivate var values: [String] {
        switch value {
        case .none: []
        case .single(let text): text.isEmpty ? [] : [text]
        case .array(let texts): texts
        }
    }
}
