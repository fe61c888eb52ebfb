// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONAPI

/// Reads and changes the articles of a JSON:API server.
public struct NewsDesk: Sendable {
    private let articles: DataSource<Article>

    public init(client: any JSONAPISender) { articles = DataSource(client: client) }

    /// Returns the longest articles with their authors and comments, all from one response.
    public func frontPage(size: Int) async throws -> [Article] {
        try await articles.search()
            .include { [$0.author, $0.comments.author] }
            .sort([.descending("wordCount")])
            .page(.number(1, size: size))
            .result().resources
    }

    /// Returns the titles of all articles of an author. The pages are requested one after the other.
    public func titles(by author: String) async throws -> [String] {
        var titles: [String] = []
        let request = articles.search()
            .filter("author.name", author)
            .fields(Article.self, \.title)
            .sort([.ascending("title")])
            .page(.number(1, size: 5))
        for try await article in request.resources() { titles.append(article.title ?? "") }
        return titles
    }

    /// Creates an article, and returns it as the server has stored it.
    public func publish(_ title: String, wordCount: Int, by author: Person.ID) async throws -> Article {
        var article = Article()
        article.title = title
        article.wordCount = wordCount
        article.author = ToOne(author)
        return try await articles.create(article).resource()
    }

    /// Changes the title of an article. The request has the title only.
    public func correct(_ article: Article, title: String) async throws -> Article {
        var article = article
        article.title = title
        return try await articles.update(article).resource()
    }

    /// Gives an article tags, besides those that it has.
    public func tag(_ article: Article, _ tags: [Tag.ID]) async throws {
        try await articles.relationship(\.tags, of: article).add(tags.map { ResourceIdentifier(id: $0) })
    }

    /// Deletes an article.
    ///
    /// - Returns: Whether the article was there.
    public func retract(_ article: Article) async throws -> Bool {
        do throws(JSONAPIError) {
            _ = try await articles.delete(article).result()
            return true
        } catch  where error.code == .notFound {
            return false
        }
    }
}
