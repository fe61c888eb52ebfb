// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequestsTesting
import JSONAPI
import TestTurns
import Testing

@Suite("Pages of resources", .inTurn)
struct ResourcePagesTests {
    private let api: MockAPI
    private let articles: DataSource<Article>

    init() throws {
        api = try MockAPI()
        articles = DataSource(client: api.client)
    }

    private func page(_ ids: [Int], _ links: String) -> String {
        let data = ids.map { #"{"type":"articles","id":"\#($0)"}"# }.joined(separator: ",")
        return #"{"data":[\#(data)],"links":{\#(links)}}"#
    }

    @Test func pagesAreReadOneByOne() async throws {
        api.answer(page([1, 2], #""next":"?page%5Bnumber%5D=2&sort=x""#))
        api.answer(page([3], #""next":null"#))
        for try await page in articles.search().page(.number(1, size: 10)).pages() {
            print(page.resources.count)
        }
        #expect(
            api.calls == [
                "GET /v1/articles?page%5Bnumber%5D=1&page%5Bsize%5D=10", "GET /v1/articles?page%5Bnumber%5D=2&sort=x",
            ])
    }

    @Test func resourcesOfAllPagesAreReadOnDemand() async throws {
        api.answer(page([1, 2], #""next":"?2""#))
        api.answer(page([], #""next":"?3""#))
        api.answer(page([3], ""))
        var iterator = articles.search().resources().makeAsyncIterator()
        #expect(try await iterator.next()?.id == "1")
        #expect(try await iterator.next()?.id == "2")
        #expect(api.calls.count == 1)
        #expect(try await iterator.next()?.id == "3")
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(api.calls.count == 3)
    }

    @Test func aPageThatCannotBeReadEndsTheIteration() async throws {
        api.answer(#"{"data":null,"links":{"next":"?2"}}"#)
        api.answer(page([1], ""))
        var iterator = articles.search().pages().makeAsyncIterator()
        let error = await #expect(throws: JSONAPIError.self) { _ = try await iterator.next() }
        #expect(error?.code == .notCollectionData)
        #expect(try await iterator.next() == nil)
        #expect(api.calls.count == 1)
    }

    @Test func endlessEmptyPagesEndAtTheLimit() async throws {
        for number in 1...4 { api.answer(page([], #""next":"?\#(number)""#)) }
        var error: JSONAPIError?
        do {
            for try await _ in articles.search().resources(pageLimit: 4) {}
        } catch let thrown {
            error = thrown
        }
        #expect(error?.code == .pageLoop)
    }

    @Test func neighboursAreRequestedWithTheQueryOfTheirLinks() async throws {
        let links = #""self":"?p=2","first":"?p=1","prev":"?p=1&s=a+b","next":{"href":"?p=3"},"last":"?p=9""#
        api.answer(page([1], links))
        let response = try await articles.search().userInfo(["a": 1]).result()
        for _ in 0..<5 { api.answer(page([], "")) }
        let requests = [response.reload, response.first, response.previous, response.next, response.last]
        for request in requests {
            let request = try #require(request)
            #expect(request.userInfo["a"] as? Int == 1)
            let neighbour = try await request.result()
            #expect(neighbour.next == nil)
        }
        #expect(
            Array(api.calls.dropFirst()) == [
                "GET /v1/articles?p=2", "GET /v1/articles?p=1", "GET /v1/articles?p=1&s=a+b", "GET /v1/articles?p=3",
                "GET /v1/articles?p=9",
            ])
    }

    @Test func cancellationEndsTheIteration() async throws {
        api.answer(page([1], #""next":"?2""#))
        api.transport.expect(reply: .none)
        let resources = articles.search().resources()
        let task = Task {
            var count = 0
            do {
                for try await _ in resources { count += 1 }
                return (count, nil as JSONAPIError?)
            } catch {
                return (count, error as? JSONAPIError)
            }
        }
        try await api.transport.waitForRequests(2)
        task.cancel()
        let (count, error) = await task.value
        #expect(count == 1)
        #expect(error?.code == .cancelled)
    }
}
