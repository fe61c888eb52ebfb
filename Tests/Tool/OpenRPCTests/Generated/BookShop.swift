// swift-jsonrpc · SPDX-License-Identifier: MIT

// Book shop 1.0.0, from its OpenRPC document.

import JSONRPCMacros

/// Sells books.
/// All day.
@JSONRPCProxyAndService(params: .byName)
protocol BookShop: Sendable {
    /// Finds books.
    ///
    /// In the order of their titles.
    ///
    /// - Parameter query: A part of the title.
    /// - Throws: -32000, Too many
    /// - Throws: -32001, Closed
    @RPC("books.find", renaming: ["maxCount": "max-count"])
    func booksFind(query: String, maxCount: Int?, genre: Genre?) async throws -> [Book]

    /// - Warning: Deprecated.
    @RPC(params: .byPosition)
    func order(_ book: Book, _ `in`: OrderIn, _ gift: Bool?) async throws -> OrderResult

    @RPCNotification
    func log(line: String) async throws

    func ping() async throws

    func shelf() async throws -> Shelf

    @RPC("any-thing")
    func anyThing() async throws -> JSONValue
}

enum Genre: String, Codable, Sendable, Hashable, CaseIterable {
    case crime = "crime"
    case scienceFiction = "science fiction"
    case `default` = "default"
}

/// A book.
struct Book: Codable, Sendable, Hashable {
    /// Its number.
    var id: Int
    var title: String
    var selfValue: String?
    var isbnNumber: String?
    var pageCount: Int?
    var sequel: Indirect<Book>?
    var related: [Book]?
    var stars: BookStars?
    var extra: JSONValue?

    init(
        id: Int,
        title: String,
        selfValue: String? = nil,
        isbnNumber: String? = nil,
        pageCount: Int? = nil,
        sequel: Indirect<Book>? = nil,
        related: [Book]? = nil,
        stars: BookStars? = nil,
        extra: JSONValue? = nil
    ) {
        self.id = id
        self.title = title
        self.selfValue = selfValue
        self.isbnNumber = isbnNumber
        self.pageCount = pageCount
        self.sequel = sequel
        self.related = related
        self.stars = stars
        self.extra = extra
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case title
        case selfValue = "self"
        case isbnNumber = "ISBNNumber"
        case pageCount = "page_count"
        case sequel
        case related
        case stars
        case extra
    }
}

enum BookStars: Int, Codable, Sendable, Hashable, CaseIterable {
    case value1 = 1
    case value2 = 2
    case minus1 = -1
}

indirect enum OrderIn: Codable, Sendable, Hashable {
    case string(String)
    case address(Address)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(String.self) {
            self = .string(value)
            return
        }
        self = .address(try container.decode(Address.self))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .address(let value): try container.encode(value)
        }
    }
}

struct Address: Codable, Sendable, Hashable {
    var city: String?
    var street: String

    init(city: String? = nil, street: String) {
        self.city = city
        self.street = street
    }
}

struct OrderResult: Codable, Sendable, Hashable {
    var number: Int
    var paidAt: Double?
    var lines: [OrderResultLinesItem]?

    init(number: Int, paidAt: Double? = nil, lines: [OrderResultLinesItem]? = nil) {
        self.number = number
        self.paidAt = paidAt
        self.lines = lines
    }

    private enum CodingKeys: String, CodingKey {
        case number
        case paidAt = "paid_at"
        case lines
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.number, forKey: .number)
        try container.encode(self.paidAt, forKey: .paidAt)
        try container.encodeIfPresent(self.lines, forKey: .lines)
    }
}

struct OrderResultLinesItem: Codable, Sendable, Hashable {
    var price: Double?

    init(price: Double? = nil) {
        self.price = price
    }
}

typealias Shelf = [String: Row]

typealias Row = [JSONValue]

/// A value behind a reference: so a type can hold values of itself.
final class Indirect<Value: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    static func == (left: Indirect, right: Indirect) -> Bool { left.value == right.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
