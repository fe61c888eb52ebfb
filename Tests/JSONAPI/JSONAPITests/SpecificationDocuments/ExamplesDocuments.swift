// swift-jsonrpc · SPDX-License-Identifier: MIT

extension SpecificationDocument {
    /// The pages of examples, the recommendations and the home page.
    static let examples: [Self] = [
        Self(
            "Sparse Fieldsets",
            #"""
            {"data": [{"type": "articles", "id": "1", "attributes": {"title": "A title 2", "body": "Some text 4",
            "created": "2015-05-22T14:56:29.000Z", "updated": "2015-05-22T14:56:28.000Z"}, "relationships": {
            "author": {"data": {"id": "42", "type": "people"}}}}], "included": [{"type": "people", "id": "42",
            "attributes": {"name": "John", "age": 80, "gender": "male"}}]}
            """#),
        Self(
            "Sparse Fieldsets (2)",
            #"""
            {"data": [{"type": "articles", "id": "1", "attributes": {"title": "A title 2", "body": "Some text 4"},
            "relationships": {"author": {"data": {"id": "42", "type": "people"}}}}], "included": [{"type":
            "people", "id": "42", "attributes": {"name": "John"}}]}
            """#),
        Self(
            "Sparse Fieldsets (3)",
            #"""
            {"data": [{"type": "articles", "id": "1", "attributes": {"title": "A title 2", "body": "Some text 4"}}],
            "included": [{"type": "people", "id": "42", "attributes": {"name": "John"}}]}
            """#),
        Self(
            "Pagination Links",
            #"""
            {"meta": {"totalPages": 13}, "data": [{"type": "articles", "id": "3", "attributes": {"title":
            "A title 2", "body": "Some text 4", "created": "2015-05-22T14:56:29.000Z", "updated":
            "2015-05-22T14:56:28.000Z"}}], "links": {"self":
            "http://example.com/articles?page[number]=3&page[size]=1", "first":
            "http://example.com/articles?page[number]=1&page[size]=1", "prev":
            "http://example.com/articles?page[number]=2&page[size]=1", "next":
            "http://example.com/articles?page[number]=4&page[size]=1", "last":
            "http://example.com/articles?page[number]=13&page[size]=1"}}
            """#),
        Self(
            "A Basic Error Object",
            #"""
            {"errors": [{"status": "422", "source": {"pointer": "/data/attributes/firstName"}, "title":
            "A title 8", "detail": "An explanation 3"}]}
            """#),
        Self(
            "Multiple Errors",
            #"""
            {"errors": [{"status": "403", "source": {"pointer": "/data/attributes/secretPowers"}, "detail":
            "An explanation 4"}, {"status": "422", "source": {"pointer": "/data/attributes/volume"}, "detail":
            "An explanation 5"}, {"status": "500", "source": {"pointer": "/data/attributes/reputation"},
            "title": "A title 9", "detail": "An explanation 6"}]}
            """#),
        Self(
            "Multiple Errors (2)",
            #"""
            {"errors": [{"source": {"pointer": "/data/attributes/firstName"}, "title": "A title 8", "detail":
            "An explanation 3"}, {"source": {"pointer": "/data/attributes/firstName"}, "title": "A title 8",
            "detail": "An explanation 7"}]}
            """#),
        Self(
            "Error Codes",
            #"""
            {"jsonapi": {"version": "1.1"}, "errors": [{"code": "123", "source": {"pointer":
            "/data/attributes/firstName"}, "title": "A title 10", "detail": "An explanation 3"}, {"code": "225",
            "source": {"pointer": "/data/attributes/password"}, "title": "A title 11", "detail":
            "An explanation 8"}, {"code": "226", "source": {"pointer": "/data/attributes/password"}, "title":
            "A title 12"}]}
            """#),
        Self(
            "Advanced source Usage",
            #"""
            {"datum": []}
            """#),
        Self(
            "Advanced source Usage (2)",
            #"""
            {"errors": [{"source": {"pointer": ""}, "detail": "An explanation 9"}]}
            """#),
        Self(
            "Advanced source Usage (3)",
            #"""
            {"errors": [{"status": "400", "detail": "An explanation 10"}]}
            """#),
        Self(
            "Invalid Query Parameters",
            #"""
            {"errors": [{"source": {"parameter": "include"}, "title": "A title 13", "detail":
            "An explanation 11"}]}
            """#),
        Self(
            "Including Top-level, Resource-level and Relationship Links",
            #"""
            {"data": [{"type": "comments", "id": "1", "attributes": {"text": "Some text 3"}, "links": {"self":
            "/comments/1"}, "relationships": {"author": {"links": {"self": "/comments/1/relationships/author",
            "related": "/comments/1/author"}}, "articles": {"links": {"self":
            "/comments/1/relationships/articles", "related": "/comments/1/articles"}}}}], "links": {"self":
            "/comments"}}
            """#),
        Self(
            "Asynchronous Processing",
            #"""
            {"data": {"type": "jobs", "id": "5234", "attributes": {"status": "A state 1"}, "links": {"self":
            "/photos/jobs/5234"}}}
            """#),
        Self(
            "Asynchronous Processing (2)",
            #"""
            {"data": {"type": "jobs", "id": "5234", "attributes": {"status": "A state 1"}, "links": {"self":
            "/photos/jobs/5234"}}}
            """#),
        Self(
            "Home page",
            #"""
            {"links": {"self": "http://example.com/articles", "next":
            "http://example.com/articles?page[offset]=2", "last": "http://example.com/articles?page[offset]=10"},
            "data": [{"type": "articles", "id": "1", "attributes": {"title": "A title 2"}, "relationships": {
            "author": {"links": {"self": "http://example.com/articles/1/relationships/author", "related":
            "http://example.com/articles/1/author"}, "data": {"type": "people", "id": "9"}}, "comments": {
            "links": {"self": "http://example.com/articles/1/relationships/comments", "related":
            "http://example.com/articles/1/comments"}, "data": [{"type": "comments", "id": "5"}, {"type":
            "comments", "id": "12"}]}}, "links": {"self": "http://example.com/articles/1"}}], "included": [{
            "type": "people", "id": "9", "attributes": {"firstName": "Dan", "lastName": "Gebhardt", "twitter":
            "dgeb"}, "links": {"self": "http://example.com/people/9"}}, {"type": "comments", "id": "5",
            "attributes": {"body": "First!"}, "relationships": {"author": {"data": {"type": "people", "id": "2"}}},
            "links": {"self": "http://example.com/comments/5"}}, {"type": "comments", "id": "12", "attributes":
            {"body": "Some text 1"}, "relationships": {"author": {"data": {"type": "people", "id": "9"}}},
            "links": {"self": "http://example.com/comments/12"}}]}
            """#),
    ]
}
