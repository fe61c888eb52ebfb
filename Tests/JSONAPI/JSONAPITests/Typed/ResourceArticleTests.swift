// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONAPI
import TestTurns
import Testing
import WireJSON

/// The samples of the articles "Resources" and "Changes and PATCH".
@Suite("Samples of resources", .inTurn)
struct ResourceArticleTests {
    struct Author: Resource {
        var state = ResourceState<Author>()
        var name: String?

        static let schema = JSONAPISchema<Author>("people", .attribute("name", \.name))
    }

    struct Post: Resource {
        var state = ResourceState<Post>()
        var title: String?
        var created: Date?
        var views: Int?
        var authors = ToMany<Author>()
        var editor = ToOne<Author>()

        static let schema = JSONAPISchema<Post>(
            "articles",
            .attribute("title", \.title, .required),
            .attribute("created", \.created, via: ISO8601.self),
            .attribute("views", \.views, .excluded),
            .relationship("authors", \.authors),
            .relationship("editor", \.editor))
    }

    enum Owner: ResourceUnion {
        case author(Author)
        case post(Post)
        case unknown(ResourceObject)

        static let alternatives = [Alternative(Owner.author), Alternative(Owner.post)]

        func toResourceIdentifierObject() -> ResourceIdentifierObject? {
            switch self {
            case .author(let resource): resource.toResourceIdentifierObject()
            case .post(let resource): resource.toResourceIdentifierObject()
            case .unknown(let object): object.identifier
            }
        }
    }

    struct Label: NestedAttribute {
        var text: String?
        var id: Int?

        static let schema = NestedSchema<Label>(.attribute("labelText", \.text), .attribute("id", \.id, .excluded))
    }

    struct Employee: Resource {
        var state = ResourceState<Employee>()
        var author = Author()
        var phone: String?

        static let schema = JSONAPISchema(
            "employees", extending: Author.schema, at: \Employee.author,
            .attribute("phone", \.phone))
    }

    private let body = Array(
        """
        {"data":[{"type":"articles","id":"1","attributes":{"title":"A"},"relationships":{
           "authors":{"data":[{"type":"people","id":"2"}]},"editor":{"data":{"type":"people","id":"2"}}}}],
         "included":[{"type":"people","id":"2","attributes":{"name":"Dan"}}]}
        """.utf8)

    @Test func documentsAreRead() throws {
        let document = try JSONAPIDocument(parsing: body)
        for post in try document.resources(as: Post.self) {
            let editor = post.editor.name
            let authors = post.authors.values.map(\.name)
            #expect(editor == "Dan" && authors == ["Dan"])
        }
        let owners = try document.resources(as: Owner.self)
        #expect(owners.first?.toResourceIdentifierObject()?.type == "articles")
        #expect(try json(Employee().resourceObject(sending: .new)) == ["type": "employees"])
        #expect(try RawObject(encoding: Label(text: "x", id: 1)) == ["labelText": "x"])
    }

    @Test func relationshipsAreSet() throws {
        var post = Post()
        var (author, other) = (Author(), Author())
        author.id = "2"
        other.id = "3"
        #expect(ToOne(author).id == "2")
        post.editor = ToOne(author)
        post.authors = ToMany([author, other])
        post.editor = "5"
        post.authors.insert("7")
        post.editor = nil
        #expect(post.authors.ids == ["2", "3", "7"])
        #expect(post.editor.linkage == .empty)
    }

    @Test func changesAreSentAndMerged() throws {
        var post = try #require(try JSONAPIDocument(parsing: body).resources(as: Post.self).first)
        post.title = "To TDD or Not"
        post.editor = nil
        post.authors.insert("9")
        let isDirty = post.isDirty
        let title = post.changes[\.title]
        let authors = post.changes.relationships.first { $0.name == "authors" }?.added
        let body = RawDocument(data: .single(try post.resourceObject(sending: .changes)))
        #expect(isDirty && title?.old == "A" && authors?.map(\.id) == ["9"] && body.data?.resources.count == 1)

        let answer = try document(#"{"data":{"type":"articles","id":"1","attributes":{"title":"To TDD or not"}}}"#)
        try post.merge(answer)
        #expect(post.title == "To TDD or not" && !post.isDirty && post.authors.ids == ["2", "9"])
    }

    @Test func newResourcesReferToEachOther() throws {
        var author = Author()
        var draft = Post()
        draft.authors.insert(author.identify())
        try author.merge(try document(#"{"data":{"type":"people","id":"7"}}"#))
        draft.replaceLocalID(of: author)
        #expect(draft.authors.ids == ["7"])
    }
}

/// The samples of doc comments.
private enum Documented {
    struct Article: Resource {
        var state = ResourceState<Article>()
        var title: String?
        var authors = ToMany<Person>()

        static let schema = JSONAPISchema<Article>(
            "articles",
            .attribute("title", \.title),
            .relationship("authors", \.authors))
    }

    struct Contact: Resource {
        var state = ResourceState<Contact>()
        var person = Person()
        var phone: String?

        static let schema = JSONAPISchema(
            "contacts", extending: Person.schema, at: \Contact.person,
            .attribute("phone", \.phone))
    }

    struct Tag: NestedAttribute {
        var name: String?
        var id: Int?

        static let schema = NestedSchema<Tag>(.attribute("tagName", \.name), .attribute("id", \.id, .excluded))
    }

    struct Organization: Resource {
        var state = ResourceState<Organization>()
        static let schema = JSONAPISchema<Organization>("organizations")
    }

    enum Contributor: ResourceUnion {
        case person(Person)
        case organization(Organization)
        case unknown(ResourceObject)

        static let alternatives = [Alternative(Contributor.person), Alternative(Contributor.organization)]

        func toResourceIdentifierObject() -> ResourceIdentifierObject? {
            switch self {
            case .person(let resource): resource.toResourceIdentifierObject()
            case .organization(let resource): resource.toResourceIdentifierObject()
            case .unknown(let object): object.identifier
            }
        }
    }

}

private enum Titles {
    static func printTitles(_ body: [UInt8]) throws {
        let document = try JSONAPIDocument(parsing: body)
        for article in try document.resources(as: Article.self) {
            print(article.title ?? "", article.editor.name ?? "")
        }
    }
}
