// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONAPI

/// An article of the newsroom.
public struct Article: Resource {
    public var state = ResourceState<Article>()
    public var title: String?
    public var bodyText: String?
    public var wordCount: Int?
    public var author = ToOne<Person>()
    public var comments = ToMany<Comment>()
    public var tags = ToMany<Tag>()

    public static let schema = JSONAPISchema<Article>(
        "articles",
        .attribute("title", \.title),
        .attribute("bodyText", \.bodyText),
        .attribute("wordCount", \.wordCount),
        .relationship("author", \.author),
        .relationship("comments", \.comments),
        .relationship("tags", \.tags))

    public init() {}
}

/// An author of articles and comments.
public struct Person: Resource {
    public var state = ResourceState<Person>()
    public var name: String?
    public var email: String?
    public var articles = ToMany<Article>()

    public static let schema = JSONAPISchema<Person>(
        "people",
        .attribute("name", \.name),
        .attribute("email", \.email),
        .relationship("articles", \.articles))

    public init() {}
}

/// A comment on an article.
public struct Comment: Resource {
    public var state = ResourceState<Comment>()
    public var text: String?
    public var article = ToOne<Article>()
    public var author = ToOne<Person>()

    public static let schema = JSONAPISchema<Comment>(
        "comments",
        .attribute("text", \.text),
        .relationship("article", \.article),
        .relationship("author", \.author))

    public init() {}
}

/// A topic of articles.
public struct Tag: Resource {
    public var state = ResourceState<Tag>()
    public var name: String?

    public static let schema = JSONAPISchema<Tag>("tags", .attribute("name", \.name))

    public init() {}
}
