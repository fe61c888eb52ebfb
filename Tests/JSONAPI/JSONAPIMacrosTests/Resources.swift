// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
public import JSONAPIMacros
import WireJSON

// The same resource twice: with macros, and by hand.

@Resource("people")
struct Person {
    @Attribute var name: String?
    @Attribute var age: Int?
    @Relationship var favoriteArticle: ToOne<Article>
}

@Resource("organizations")
struct Organization {
    @Attribute("display-name") var name: String?
}

@NestedAttribute
struct Tag {
    @Attribute("tagName") var name: String?
    @Attribute(.excluded) var id: Int?
    @Attribute var parents: [Tag]?
}

@ResourceUnion
enum Contributor: Equatable {
    case person(Person)
    case organization(value: Organization)
    case unknown(ResourceObject)
}

@Resource("articles")
struct Article {
    @Attribute var title: String?
    @Attribute("description") var descriptionText: String?
    @Attribute(.excluded) var views: Int?
    @Attribute("slug", .createOnly) var slug: String?
    @Attribute(via: ISO8601.self) var created: Date?
    @Attribute var mainTag: Tag?
    @Attribute var tags: [Tag]?
    @Attribute var isPublic: Bool = true
    @Relationship var authors: ToMany<Person>
    @Relationship var editor: ToOne<Person>
    @Relationship("helpers") var contributors: ToMany<Contributor>
    var isSelected = false
}

enum ByHand {
    struct Article: Resource {
        var state = ResourceState<Article>()
        var title: String?
        var descriptionText: String?
        var views: Int?
        var slug: String?
        var created: Date?
        var mainTag: Tag?
        var tags: [Tag]?
        var isPublic = true
        var authors = ToMany<Person>()
        var editor = ToOne<Person>()
        var contributors = ToMany<Contributor>()

        static let schema = JSONAPISchema<Article>(
            "articles",
            .attribute("title", \.title),
            .attribute("description", \.descriptionText),
            .attribute("views", \.views, .excluded),
            .attribute("slug", \.slug, .createOnly),
            .attribute("created", \.created, via: ISO8601.self),
            .attribute("mainTag", \.mainTag),
            .attribute("tags", \.tags),
            .attribute("isPublic", \.isPublic),
            .relationship("authors", \.authors),
            .relationship("editor", \.editor),
            .relationship("helpers", \.contributors))
    }
}

@Resource(keys: .kebab)
public struct BlogPost {
    @Attribute public var mainTitle: String?
    @Attribute("html_URL") public var htmlURL: String?
    @Attribute([.required]) public var `default`: Int = 3
    @Attribute public var rating: Double? {
        didSet { count += 1 }
    }
    @Attribute var isDraft: Optional<Bool>
    @Relationship public var next: ToOne<BlogPost>
    public internal(set) var count = 0
}

/// The program's own names `JSONAPIField` and `JSONAPISchema`, and its own initializer, cause no conflict.
enum Space {
    struct JSONAPIField {}
    struct JSONAPISchema {}

    @JSONAPIMacros.Resource("things")
    struct Thing: JSONAPI.Resource {
        @JSONAPIMacros.Attribute var label: String?

        init() { label = "made" }
        init(label: String) { self.label = label }
    }

    @Resource("rooms") fileprivate struct Room { @Attribute var seats: Int? }
    @Resource("empty") fileprivate struct Empty {}

    static func seats() -> Int? { Room(seats: 3).seats }
}
