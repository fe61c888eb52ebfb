// swift-jsonrpc · SPDX-License-Identifier: MIT

struct Owner: Codable {
    var id: Int
    var name: String
    var score: Double
}

struct Item: Codable {
    var id: Int
    var title: String
    var tags: [String]
    var price: Double
    var isInStock: Bool
    var owner: Owner?
    var sizes: [Int]

    init(_ number: Int) {
        id = 1000 * number
        title = "An item with number \(number)"
        tags = ["red", "green"]
        price = 12.25 * Double(number)
        isInStock = number.isMultiple(of: 2)
        owner = Owner(id: number, name: "owner", score: 0.5)
        sizes = [1, 2, 3]
    }
}

/// A result of about 1.8 KB.
struct Page: Codable {
    var items = (0..<12).map(Item.init)
    var total = 12
    var cursor: String? = "abc"
}

/// What an application would take out of twitter.json.
struct Timeline: Codable {
    struct User: Codable {
        var id: Int
        var name: String
        var screen_name: String
        var location: String
        var description: String
        var followers_count: Int
        var friends_count: Int
        var verified: Bool
        var profile_image_url: String
    }

    struct Hashtag: Codable {
        var text: String
        var indices: [Int]
    }

    struct Entities: Codable {
        var hashtags: [Hashtag]
    }

    struct Status: Codable {
        var id: Int
        var created_at: String
        var text: String
        var source: String
        var in_reply_to_status_id: Int?
        var user: User
        var entities: Entities
        var retweet_count: Int
        var favorite_count: Int
        var favorited: Bool
        var lang: String
    }

    var statuses: [Status]

    /// About as large as twitter.json, for when that is missing.
    static func generated() -> Timeline {
        Timeline(
            statuses: (0..<1000).map { number in
                Status(
                    id: 505_874_924_095_815_681 + number, created_at: "Sun Aug 31 00:29:15 +0000 2014",
                    text: "RT @name: 日本語の文章、https://example.com/\(number) — line\nbreak and \"quotes\"",
                    source: "<a href=\"https://example.com\" rel=\"nofollow\">Client</a>",
                    in_reply_to_status_id: number.isMultiple(of: 3) ? number : nil,
                    user: User(
                        id: 1_186_275_104 + number, name: "名前 \(number)", screen_name: "name\(number)", location: "東京",
                        description: "A description of some length, with an emoji 🚀 and a slash / in it",
                        followers_count: number, friends_count: 2 * number, verified: false,
                        profile_image_url: "https://example.com/images/\(number)_normal.jpeg"),
                    entities: Entities(hashtags: [Hashtag(text: "tag", indices: [3, 7])]),
                    retweet_count: number % 10, favorite_count: number % 7, favorited: false, lang: "ja")
            })
    }
}

/// Decodes from anything, so that only reading and validating the text is measured.
struct Anything: Decodable {
    init(from decoder: any Decoder) {}
}
