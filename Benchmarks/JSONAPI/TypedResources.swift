// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI

struct Article: Resource {
    var state = ResourceState<Article>()
    var title: String?
    var wordCount: Int?
    var rating: Double?
    var isPublic: Bool?
    var author = ToOne<Person>()
    var comments = ToMany<Comment>()

    static let schema = JSONAPISchema<Article>(
        "articles",
        .attribute("title", \.title),
        .attribute("wordCount", \.wordCount),
        .attribute("rating", \.rating),
        .attribute("isPublic", \.isPublic),
        .relationship("author", \.author),
        .relationship("comments", \.comments))
}

struct Person: Resource {
    var state = ResourceState<Person>()
    var name: String?
    var email: String?
    var age: Int?

    static let schema = JSONAPISchema<Person>(
        "people",
        .attribute("name", \.name),
        .attribute("email", \.email),
        .attribute("age", \.age))
}

struct Comment: Resource {
    var state = ResourceState<Comment>()
    var text: String?
    var likes: Int?
    var author = ToOne<Person>()

    static let schema = JSONAPISchema<Comment>(
        "comments",
        .attribute("text", \.text),
        .attribute("likes", \.likes),
        .relationship("author", \.author))
}
