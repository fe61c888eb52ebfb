// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONAPIMacros
import TestTurns
import Testing

// The samples of the doc comments and of the article.

private enum Samples {
    @Resource("articles")
    struct Article {
        @Attribute var title: String?
        @Attribute("description") var descriptionText: String?
        @Attribute(via: ISO8601.self) var created: Date?
        @Relationship var authors: ToMany<Person>
        @Relationship var editor: ToOne<Person>
        var isSelected = false
    }

    @NestedAttribute
    struct Tag {
        @Attribute("tagName") var name: String?
        @Attribute(.excluded) var id: Int?
    }

    @ResourceUnion
    enum Contributor {
        case person(Person)
        case organization(Organization)
        case unknown(ResourceObject)
    }
}

@Suite(.inTurn) struct SampleTests {
    @Test func resourcesHaveTheFieldsOfTheSample() {
        let article = Samples.Article(title: "JSON:API", authors: ["1"])
        #expect(article.authors.ids == ["1"])
        #expect(
            Samples.Article.schema.fields.map(\.name) == ["title", "description", "created", "authors", "editor"])
        #expect(Samples.Tag.schema.fields.map(\.name) == ["tagName", "id"])
        #expect(Samples.Contributor.resourceTypes.map { $0.resourceType } == ["people", "organizations"])
    }
}
