// swift-jsonrpc · SPDX-License-Identifier: MIT

extension SpecificationDocument {
    /// The atomic operations extension and the cursor pagination profile.
    static let extensions: [Self] = [
        Self(
            "Atomic operations: Creating Resources",
            #"""
            {"atomic:operations": [{"op": "add", "href": "/blogPosts", "data": {"type": "articles",
            "attributes": {"title": "A title 5"}}}]}
            """#),
        Self(
            "Atomic operations: Responses",
            #"""
            {"atomic:results": [{"data": {"links": {"self": "http://example.com/blogPosts/13"}, "type":
            "articles", "id": "13", "attributes": {"title": "A title 5"}}}]}
            """#),
        Self(
            "Atomic operations: Updating Resources",
            #"""
            {"atomic:operations": [{"op": "update", "data": {"type": "articles", "id": "13", "attributes": {
            "title": "A title 4"}}}]}
            """#),
        Self(
            "Atomic operations: Deleting Resources",
            #"""
            {"atomic:operations": [{"op": "remove", "ref": {"type": "articles", "id": "13"}}]}
            """#),
        Self(
            "Atomic operations: Updating To-One Relationships",
            #"""
            {"atomic:operations": [{"op": "update", "ref": {"type": "articles", "id": "13", "relationship":
            "author"}, "data": {"type": "people", "id": "9"}}]}
            """#),
        Self(
            "Atomic operations: Updating To-One Relationships (2)",
            #"""
            {"atomic:operations": [{"op": "update", "ref": {"type": "articles", "id": "13", "relationship":
            "author"}, "data": null}]}
            """#),
        Self(
            "Atomic operations: Updating To-Many Relationships",
            #"""
            {"atomic:operations": [{"op": "add", "ref": {"type": "articles", "id": "1", "relationship":
            "comments"}, "data": [{"type": "comments", "id": "123"}]}]}
            """#),
        Self(
            "Atomic operations: Updating To-Many Relationships (2)",
            #"""
            {"atomic:operations": [{"op": "update", "ref": {"type": "articles", "id": "1", "relationship":
            "tags"}, "data": [{"type": "tags", "id": "2"}, {"type": "tags", "id": "3"}]}]}
            """#),
        Self(
            "Atomic operations: Updating To-Many Relationships (3)",
            #"""
            {"atomic:operations": [{"op": "remove", "ref": {"type": "articles", "id": "1", "relationship":
            "comments"}, "data": [{"type": "comments", "id": "12"}, {"type": "comments", "id": "13"}]}]}
            """#),
        Self(
            "Atomic operations: Processing Multiple Operations",
            #"""
            {"atomic:operations": [{"op": "add", "data": {"type": "authors", "id":
            "acb2ebd6-ed30-4877-80ce-52a14d77d470", "attributes": {"name": "dgeb"}}}, {"op": "add", "data": {
            "type": "articles", "id": "bb3ad581-806f-4237-b748-f2ea0261845c", "attributes": {"title":
            "A title 5"}, "relationships": {"author": {"data": {"type": "authors", "id":
            "acb2ebd6-ed30-4877-80ce-52a14d77d470"}}}}}]}
            """#),
        Self(
            "Atomic operations: Processing Multiple Operations (2)",
            #"""
            {"atomic:results": [{"data": {"links": {"self":
            "http://example.com/authors/acb2ebd6-ed30-4877-80ce-52a14d77d470"}, "type": "authors", "id":
            "acb2ebd6-ed30-4877-80ce-52a14d77d470", "attributes": {"name": "dgeb"}}}, {"data": {"links": {
            "self": "http://example.com/articles/bb3ad581-806f-4237-b748-f2ea0261845c"}, "type": "articles",
            "id": "bb3ad581-806f-4237-b748-f2ea0261845c", "attributes": {"title": "A title 5"}, "relationships":
            {"author": {"links": {"self":
            "http://example.com/articles/bb3ad581-806f-4237-b748-f2ea0261845c/relationships/author", "related":
            "http://example.com/articles/bb3ad581-806f-4237-b748-f2ea0261845c/author"}}}}}]}
            """#),
        Self(
            "Cursor pagination: Cursors",
            #"""
            {"data": [{"type": "examples", "id": "1"}, {"type": "examples", "id": "5"}, {"type": "examples",
            "id": "7"}, {"type": "examples", "id": "8"}, {"type": "examples", "id": "9"}]}
            """#),
        Self(
            "Cursor pagination: page[after] and page[before]",
            #"""
            {"data": [{"type": "examples", "id": "1"}, {"type": "examples", "id": "5"}, {"type": "examples",
            "id": "7"}, {"type": "examples", "id": "8"}, {"type": "examples", "id": "9"}]}
            """#),
        Self(
            "Cursor pagination: page[after] and page[before] (2)",
            #"""
            {"links": {"prev": "/example-data?page[before]=yyy&page[size]=2", "next":
            "/example-data?page[after]=zzz&page[size]=2"}, "data": [{"type": "examples", "id": "7", "meta": {
            "page": {"cursor": "yyy"}}}, {"type": "examples", "id": "8", "meta": {"page": {"cursor": "zzz"}}}]}
            """#),
        Self(
            "Cursor pagination: page[after] and page[before] (3)",
            #"""
            {"links": {"prev": "/example-data?page[before]=abcde&page[size]=3", "next":
            "/example-data?page[after]=zzz&page[size]=3"}, "data": [{"type": "examples", "id": "5"}, {"type":
            "examples", "id": "7"}, {"type": "examples", "id": "8"}]}
            """#),
        Self(
            "Cursor pagination: Combining page[after] and page[before]",
            #"""
            {"links": {"prev": "/example-data?page[before]=yyy", "next": "/example-data?page[after]=zzz"},
            "data": [{"type": "examples", "id": "7"}, {"type": "examples", "id": "8"}]}
            """#),
        Self(
            "Cursor pagination: Combining page[after] and page[before] (2)",
            #"""
            {"meta": {"page": {"rangeTruncated": true}}, "links": {"prev":
            "/example-data?page[before]=yyy&page[size]=1", "next": "/example-data?page[after]=yyy&page[size]=1"},
            "data": [{"type": "examples", "id": "7"}]}
            """#),
        Self(
            "Cursor pagination: Terms",
            #"""
            {"links": {}, "meta": {"page": {}}, "data": [{"type": "people", "id": "1", "meta": {"page": {}},
            "attributes": {}, "relationships": {"friends": {"links": {}, "data": [{"type": "people", "id": "3",
            "meta": {"page": {}}}]}}}]}
            """#),
        Self(
            "Cursor pagination: Item Cursors",
            #"""
            {"data": [{"type": "people", "id": "3", "meta": {"page": {"cursor": "someOpaqueString"}}}]}
            """#),
        Self(
            "Cursor pagination: Collection Sizes",
            #"""
            {"meta": {"page": {"total": 200}}, "data": [{"type": "people", "id": "1"}, {"type": "people", "id":
            "2"}]}
            """#),
        Self(
            "Cursor pagination: Max Page Size Exceeded Error",
            #"""
            {"errors": [{"status": "400", "meta": {"page": {"maxSize": 100}}, "title": "A title 6", "detail":
            "An explanation 1", "source": {"parameter": "page[size]"}, "links": {"type": [
            "https://jsonapi.org/profiles/ethanresnick/cursor-pagination/max-size-exceeded"]}}]}
            """#),
        Self(
            "Cursor pagination: Invalid Parameter Value Error",
            #"""
            {"errors": [{"title": "A title 7", "detail": "An explanation 2", "source": {"parameter":
            "page[size]"}, "status": "400"}]}
            """#),
    ]
}
