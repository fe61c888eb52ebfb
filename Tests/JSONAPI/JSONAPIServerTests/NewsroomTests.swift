// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import Newsroom
import TestSupport
import TestTurns
import Testing

/// The example program against a Django server.
@Suite(.inTurn(within: .seconds(120)))
struct NewsroomTests {
    @Test func theProgramSaysWhatItDid() async throws {
        try await DjangoServer.run { server in
            let program = try PeerProcess(Checkout.program("Newsroom"), [server.url])
            _ = try await program.line(containing: "Retracted: true and again: false")
            #expect(try await program.exitStatus() == 0)
            #expect(
                program.log.split(separator: "\n").prefix(6) == [
                    "Article 25 by Dan: 2500 words", "Article 24 by Yehuda: 2400 words",
                    "Article 23 by Dan: 2300 words", "Articles by Yehuda: 12", "Published and corrected: A typo",
                    "The longest article is now A typo, with 1 tag.",
                ])
        }
    }

    @Test func theFrontPageHasTheLongestArticles() async throws {
        try await DjangoServer.withClient { client in
            let page = try await NewsDesk(client: client).frontPage(size: 3)
            #expect(page.map(\.title) == ["Article 25", "Article 24", "Article 23"])
            #expect(page.map(\.author.name) == ["Dan", "Yehuda", "Dan"])
        }
    }

    @Test func theTitlesOfAnAuthorComeFromSeveralPages() async throws {
        try await DjangoServer.withClient { client in
            let titles = try await NewsDesk(client: client).titles(by: "Yehuda")
            #expect(titles.count == 12)
            #expect(titles.first == "Article 02")
            #expect(titles.last == "Article 24")
        }
    }

    @Test func anArticleIsPublishedCorrectedTaggedAndRetracted() async throws {
        try await DjangoServer.withClient { client in
            let newsroom = NewsDesk(client: client)
            var article = try await newsroom.publish("A tyop", wordCount: 5000, by: "1")
            #expect(article.id == "26")
            #expect(!article.isDirty)
            article = try await newsroom.correct(article, title: "A typo")
            #expect(article.title == "A typo")
            #expect(article.wordCount == 5000)
            try await newsroom.tag(article, ["00000000-0000-0000-0000-000000000001"])
            let front = try #require(try await newsroom.frontPage(size: 1).first)
            #expect(front.title == "A typo")
            #expect(front.tags.count == 1)
            #expect(try await newsroom.retract(article))
            #expect(try await newsroom.retract(article) == false)
        }
    }
}
