// swift-jsonrpc · SPDX-License-Identifier: MIT

extension SpecificationDocument {
    /// The format, JSON:API 1.1.
    static let format: [Self] = [
        Self(
            "Rules for Extensions",
            #"""
            {"data": {"type": "articles", "id": "1", "version:id": "42", "attributes": {"title": "A title 1"}}}
            """#),
        Self(
            "Rules for Profiles",
            #"""
            {"data": {"type": "articles", "id": "1", "attributes": {"title": "A title 1", "timestamps": {
            "created": "2020-07-21T12:09:00Z", "modified": "2020-07-30T10:19:01Z"}}}}
            """#),
        Self(
            "Top Level",
            #"""
            {"data": {"type": "articles", "id": "1", "attributes": {}, "relationships": {}}}
            """#),
        Self(
            "Top Level (2)",
            #"""
            {"data": {"type": "articles", "id": "1"}}
            """#),
        Self(
            "Resource Objects",
            #"""
            {"data": {"type": "articles", "id": "1", "attributes": {"title": "A title 1"}, "relationships": {
            "author": {"links": {"self": "/articles/1/relationships/author", "related": "/articles/1/author"},
            "data": {"type": "people", "id": "9"}}}}}
            """#),
        Self(
            "Resource Linkage",
            #"""
            {"data": {"type": "articles", "id": "1", "attributes": {"title": "A title 1"}, "relationships": {
            "author": {"links": {"self": "http://example.com/articles/1/relationships/author", "related":
            "http://example.com/articles/1/author"}, "data": {"type": "people", "id": "9"}}}, "links": {"self":
            "http://example.com/articles/1"}}}
            """#),
        Self(
            "Resource Links",
            #"""
            {"data": {"type": "articles", "id": "1", "attributes": {"title": "A title 1"}, "links": {"self":
            "http://example.com/articles/1"}}}
            """#),
        Self(
            "Compound Documents",
            #"""
            {"data": [{"type": "articles", "id": "1", "attributes": {"title": "A title 2"}, "links": {"self":
            "http://example.com/articles/1"}, "relationships": {"author": {"links": {"self":
            "http://example.com/articles/1/relationships/author", "related":
            "http://example.com/articles/1/author"}, "data": {"type": "people", "id": "9"}}, "comments": {
            "links": {"self": "http://example.com/articles/1/relationships/comments", "related":
            "http://example.com/articles/1/comments"}, "data": [{"type": "comments", "id": "5"}, {"type":
            "comments", "id": "12"}]}}}], "included": [{"type": "people", "id": "9", "attributes": {"firstName":
            "Dan", "lastName": "Gebhardt", "twitter": "dgeb"}, "links": {"self": "http://example.com/people/9"}},
            {"type": "comments", "id": "5", "attributes": {"body": "First!"}, "relationships": {"author": {
            "data": {"type": "people", "id": "2"}}}, "links": {"self": "http://example.com/comments/5"}}, {
            "type": "comments", "id": "12", "attributes": {"body": "Some text 1"}, "relationships": {"author": {
            "data": {"type": "people", "id": "9"}}}, "links": {"self": "http://example.com/comments/12"}}]}
            """#),
        Self(
            "Meta Information",
            #"""
            {"meta": {"copyright": "A notice 1", "authors": ["Author 1", "Author 2", "Author 3", "Author 4"]},
            "data": {"type": "articles", "id": "1"}}
            """#),
        Self(
            "Links",
            #"""
            {"data": null, "links": {"self": "http://example.com/articles/1/relationships/comments", "related":
            {"href": "http://example.com/articles/1/comments", "title": "Comments", "describedby":
            "http://example.com/schemas/article-comments", "meta": {"count": 10}}}}
            """#),
        Self(
            "JSON:API Object",
            #"""
            {"jsonapi": {"version": "1.1", "ext": ["https://jsonapi.org/ext/atomic"], "profile": [
            "http://example.com/profiles/flexible-pagination", "http://example.com/profiles/resource-versioning"]}}
            """#),
        Self(
            "200 OK",
            #"""
            {"links": {"self": "http://example.com/articles"}, "data": [{"type": "articles", "id": "1",
            "attributes": {"title": "A title 2"}}, {"type": "articles", "id": "2", "attributes": {"title":
            "A title 1"}}]}
            """#),
        Self(
            "200 OK (2)",
            #"""
            {"links": {"self": "http://example.com/articles"}, "data": []}
            """#),
        Self(
            "200 OK (3)",
            #"""
            {"links": {"self": "http://example.com/articles/1"}, "data": {"type": "articles", "id": "1",
            "attributes": {"title": "A title 2"}, "relationships": {"author": {"links": {"related":
            "http://example.com/articles/1/author"}}}}}
            """#),
        Self(
            "200 OK (4)",
            #"""
            {"links": {"self": "http://example.com/articles/1/author"}, "data": null}
            """#),
        Self(
            "200 OK (5)",
            #"""
            {"links": {"self": "/articles/1/relationships/author", "related": "/articles/1/author"}, "data": {
            "type": "people", "id": "12"}}
            """#),
        Self(
            "200 OK (6)",
            #"""
            {"links": {"self": "/articles/1/relationships/author", "related": "/articles/1/author"}, "data":
            null}
            """#),
        Self(
            "200 OK (7)",
            #"""
            {"links": {"self": "/articles/1/relationships/tags", "related": "/articles/1/tags"}, "data": [{
            "type": "tags", "id": "2"}, {"type": "tags", "id": "3"}]}
            """#),
        Self(
            "200 OK (8)",
            #"""
            {"links": {"self": "/articles/1/relationships/tags", "related": "/articles/1/tags"}, "data": []}
            """#),
        Self(
            "Creating Resources",
            #"""
            {"data": {"type": "photos", "attributes": {"title": "A title 3", "src":
            "http://example.com/images/productivity.png"}, "relationships": {"photographer": {"data": {"type":
            "people", "id": "9"}}}}}
            """#),
        Self(
            "Client-Generated IDs",
            #"""
            {"data": {"type": "photos", "id": "550e8400-e29b-41d4-a716-446655440000", "attributes": {"title":
            "A title 3", "src": "http://example.com/images/productivity.png"}}}
            """#),
        Self(
            "201 Created",
            #"""
            {"data": {"type": "photos", "id": "550e8400-e29b-41d4-a716-446655440000", "attributes": {"title":
            "A title 3", "src": "http://example.com/images/productivity.png"}, "links": {"self":
            "http://example.com/photos/550e8400-e29b-41d4-a716-446655440000"}}}
            """#),
        Self(
            "Updating Resources",
            #"""
            {"data": {"type": "articles", "id": "1", "attributes": {"title": "A title 4"}}}
            """#),
        Self(
            "Updating a Resource's Attributes",
            #"""
            {"data": {"type": "articles", "id": "1", "attributes": {"title": "A title 4", "text": "Some text 2"}}}
            """#),
        Self(
            "Updating a Resource's Relationships",
            #"""
            {"data": {"type": "articles", "id": "1", "relationships": {"author": {"data": {"type": "people",
            "id": "1"}}}}}
            """#),
        Self(
            "Updating a Resource's Relationships (2)",
            #"""
            {"data": {"type": "articles", "id": "1", "relationships": {"tags": {"data": [{"type": "tags", "id":
            "2"}, {"type": "tags", "id": "3"}]}}}}
            """#),
        Self(
            "Updating To-One Relationships",
            #"""
            {"data": {"type": "people", "id": "12"}}
            """#),
        Self(
            "Updating To-One Relationships (2)",
            #"""
            {"data": null}
            """#),
        Self(
            "Updating To-Many Relationships",
            #"""
            {"data": [{"type": "tags", "id": "2"}, {"type": "tags", "id": "3"}]}
            """#),
        Self(
            "Updating To-Many Relationships (2)",
            #"""
            {"data": []}
            """#),
        Self(
            "Updating To-Many Relationships (3)",
            #"""
            {"data": [{"type": "comments", "id": "123"}]}
            """#),
        Self(
            "Updating To-Many Relationships (4)",
            #"""
            {"data": [{"type": "comments", "id": "12"}, {"type": "comments", "id": "13"}]}
            """#),
    ]
}
