// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Compound documents, as text.
enum CompoundText {
    /// Returns a document with one article for each ten included resources. Half of these are people, half are comments.
    ///
    /// Each included resource is linked: the comments by the articles, and the people by the comments.
    static func articles(included count: Int) -> [UInt8] {
        let articles = (0..<max(1, count / 10)).map { number in
            let comments = stride(from: number * 10 + 1, to: min(number * 10 + 10, count), by: 2)
            let linkage = comments.map { #"{"type":"comments","id":"\#($0)"}"# }.joined(separator: ",")
            return resource(
                "articles", number,
                #""title":"An article with the number \#(number)","wordCount":\#(number * 7),"rating":4.5,"isPublic":true"#,
                relationship("articles", number, "author", person(number * 10, count)) + ","
                    + relationship("articles", number, "comments", "[\(linkage)]"))
        }
        let included = (0..<count).map { number in
            number.isMultiple(of: 2)
                ? resource(
                    "people", number,
                    #""name":"Person \#(number)","email":"person\#(number)@example.com","age":\#(number % 90)"#, nil)
                : resource(
                    "comments", number,
                    #""text":"A comment with the number \#(number), of the usual length.","likes":\#(number)"#,
                    relationship("comments", number, "author", person(number - 1, count)))
        }
        return Array(
            """
            {"jsonapi":{"version":"1.1"},"links":{"self":"https://example.com/articles?include=comments.author"},\
            "data":[\(articles.joined(separator: ","))],"included":[\(included.joined(separator: ","))]}
            """.utf8)
    }

    private static func person(_ number: Int, _ count: Int) -> String {
        #"{"type":"people","id":"\#(number < count ? number - number % 2 : 0)"}"#
    }

    private static func resource(_ type: String, _ id: Int, _ attributes: String, _ relationships: String?) -> String {
        let relationships = relationships.map { #","relationships":{\#($0)}"# } ?? ""
        return """
            {"type":"\(type)","id":"\(id)","attributes":{\(attributes)}\(relationships),\
            "links":{"self":"https://example.com/\(type)/\(id)"}}
            """
    }

    private static func relationship(_ type: String, _ id: Int, _ name: String, _ data: String) -> String {
        """
        "\(name)":{"links":{"self":"https://example.com/\(type)/\(id)/relationships/\(name)",\
        "related":"https://example.com/\(type)/\(id)/\(name)"},"data":\(data)}
        """
    }
}
