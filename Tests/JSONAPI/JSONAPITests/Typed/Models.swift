// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONAPI
import WireJSON

struct Person: Resource {
    var state = ResourceState<Person>()
    var name: String?
    var age: Int?
    var favoriteArticle = ToOne<Article>()

    static let schema = JSONAPISchema<Person>(
        "people",
        .attribute("name", \.name),
        .attribute("age", \.age),
        .relationship("favoriteArticle", \.favoriteArticle))
}

struct Tag: NestedAttribute {
    var name: String?
    var id: Int?
    var parents: [Tag]?

    static let schema = NestedSchema<Tag>(
        .attribute("tagName", \.name),
        .attribute("id", \.id, .excluded),
        .attribute("parents", \.parents))
}

struct Size: Codable, Equatable, Sendable {
    var width: Int
}

struct Article: Resource {
    var state = ResourceState<Article>()
    var title: String?
    var descriptionText: String?
    var isPublic = true
    var mainTag: Tag?
    var tags: [Tag]?
    var size: Size?
    var anything: JSONValue?
    var created: Date?
    var slug: String?
    var views: Int?
    var authors = ToMany<Person>()
    var editor = ToOne<Person>()

    static let schema = JSONAPISchema<Article>(
        "articles",
        .attribute("title", \.title),
        .attribute("description", \.descriptionText),
        .attribute("isPublic", \.isPublic),
        .attribute("mainTag", \.mainTag),
        .attribute("tags", \.tags),
        .attribute("size", \.size),
        .attribute("anything", \.anything),
        .attribute("created", \.created, via: ISO8601.self),
        .attribute("slug", \.slug, .createOnly),
        .attribute("views", \.views, .excluded),
        .relationship("authors", \.authors),
        .relationship("editor", \.editor))
}

/// This type has all fields of a person.
@dynamicMemberLookup
struct Contact: Resource {
    var state = ResourceState<Contact>()
    var person = Person()
    var phone: String?

    static let schema = JSONAPISchema(
        "contacts", extending: Person.schema, at: \Contact.person,
        .attribute("phone", \.phone))

    subscript<V>(dynamicMember path: WritableKeyPath<Person, V>) -> V {
        get { person[keyPath: path] }
        set { person[keyPath: path] = newValue }
    }
}

enum Contributor: ResourceUnion, Equatable {
    case person(Person)
    case contact(Contact)
    case unknown(ResourceObject)

    static let alternatives = [Alternative { Contributor.person($0) }, Alternative { Contributor.contact($0) }]

    func toResourceIdentifierObject() -> ResourceIdentifierObject? {
        switch self {
        case .person(let resource): resource.toResourceIdentifierObject()
        case .contact(let resource): resource.toResourceIdentifierObject()
        case .unknown(let object): object.identifier
        }
    }
}

struct Book: Resource {
    var state = ResourceState<Book>()
    var isbn = ""
    var pageCount = 0
    var contributors = ToMany<Contributor>()
    var related = ToMany<AnyResource>()
    var owner = ToOne<Contributor>()

    static let schema = JSONAPISchema<Book>(
        "books", keys: .kebab,
        .attribute("isbn", \.isbn, .required),
        .attribute("pageCount", \.pageCount),
        .relationship("contributors", \.contributors),
        .relationship("related", \.related),
        .relationship("owner", \.owner))
}

/// Returns the JSON of the resource object in a request.
func json(_ object: ResourceObject) throws -> JSONValue {
    try JSONValue(parsing: RawDocument(data: .single(object)).bytes)["data"] ?? .null
}

func document(_ text: String, _ options: ResourceOptions = ResourceOptions()) throws -> JSONAPIDocument {
    try JSONAPIDocument(parsing: Array(text.utf8), options: options)
}

/// Returns the error of the body.
func resourceError(_ body: () throws -> Void) -> ResourceError? {
    do {
        try body()
        return nil
    } catch {
        return error as? ResourceError
    }
}
