// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSONMacros

/// The models of the benchmark, with coding that the macro writes.
enum Direct {
    @JSONCodable struct Owner {
        var id: Int
        var name: String
        var score: Double
    }

    @JSONCodable struct Item {
        var id: Int
        var title: String
        var tags: [String]
        var price: Double
        var isInStock: Bool
        var owner: Owner?
        var sizes: [Int]
    }

    @JSONCodable struct Page {
        var items: [Item]
        var total: Int
        var cursor: String?
    }

    @JSONCodable struct Timeline {
        @JSONCodable struct User {
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

        @JSONCodable struct Hashtag {
            var text: String
            var indices: [Int]
        }

        @JSONCodable struct Entities {
            var hashtags: [Hashtag]
        }

        @JSONCodable struct Status {
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
    }
}
