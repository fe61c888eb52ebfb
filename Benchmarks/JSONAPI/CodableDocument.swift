// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The raw level as somebody writes it by hand for `JSONDecoder`, for three known types.
struct CodableDocument: Decodable {
    var jsonapi: [String: String]?
    var links: [String: String]?
    var data: [CodableResource]
    var included: [CodableResource]?
}

struct ArticleAttributes: Decodable {
    var title: String
    var wordCount: Int
    var rating: Double
    var isPublic: Bool
}

struct PersonAttributes: Decodable {
    var name: String
    var email: String?
    var age: Int
}

struct CommentAttributes: Decodable {
    var text: String
    var likes: Int
}

struct CodableResource: Decodable {
    enum Attributes {
        case article(ArticleAttributes)
        case person(PersonAttributes)
        case comment(CommentAttributes)
        case unknown
    }

    struct Identifier: Decodable {
        var type: String
        var id: String
    }

    struct Relationship: Decodable {
        enum Linkage {
            case one(Identifier?)
            case many([Identifier])
        }

        private enum CodingKeys: String, CodingKey { case links, data }

        var links: [String: String]?
        var data: Linkage?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            links = try members.decodeIfPresent([String: String].self, forKey: .links)
            guard members.contains(.data) else { return }
            if let many = try? members.decode([Identifier].self, forKey: .data) {
                data = .many(many)
            } else {
                data = .one(try members.decodeIfPresent(Identifier.self, forKey: .data))
            }
        }
    }

    private enum CodingKeys: String, CodingKey { case type, id, attributes, relationships, links }

    var type: String
    var id: String
    var attributes: Attributes
    var relationships: [String: Relationship]?
    var links: [String: String]?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        type = try members.decode(String.self, forKey: .type)
        id = try members.decode(String.self, forKey: .id)
        relationships = try members.decodeIfPresent([String: Relationship].self, forKey: .relationships)
        links = try members.decodeIfPresent([String: String].self, forKey: .links)
        switch type {
        case "articles": attributes = .article(try members.decode(ArticleAttributes.self, forKey: .attributes))
        case "people": attributes = .person(try members.decode(PersonAttributes.self, forKey: .attributes))
        case "comments": attributes = .comment(try members.decode(CommentAttributes.self, forKey: .attributes))
        default: attributes = .unknown
        }
    }
}
