// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The pages of a collection, whose documents are not interpreted.
///
/// The pages are read one by one, each when it is asked for, by the link `next` as the server gave it. The sequence ends
/// with the page whose link `next` is absent or `null`. It throws a ``JSONAPIError`` with the code
/// ``JSONAPIError/Code/pageLoop`` if a link leads back to a page that was read before, or after ``limit`` pages. A failure
/// ends the iteration. Each iteration begins with the first page.
public struct DocumentPages: AsyncSequence, Sendable {
    public typealias Element = ServerResponse
    public typealias Failure = JSONAPIError

    /// The client.
    public let client: any JSONAPISender
    /// The request for the first page.
    public let first: JSONAPIRequest
    /// The largest number of pages.
    public let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads the pages one by one.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: DocumentPages
        private var upcoming: Result<JSONAPIRequest, JSONAPIError>?
        private var visited: Set<String> = []
        private var count = 0

        init(_ pages: DocumentPages) {
            self.pages = pages
            upcoming = .success(pages.first)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(JSONAPIError) -> ServerResponse? {
            guard let request = try upcoming.take()?.get() else { return nil }
            guard !Task.isCancelled else { throw JSONAPIError(.cancelled, "The request was cancelled.") }
            let response = try await pages.client.send(request)
            count += 1
            upcoming = nextRequest(after: response, request)
            return response
        }

        /// Returns the request for the page after a response, or the reason why it is not made. The response itself is a page
        /// in any case.
        private mutating func nextRequest(
            after response: ServerResponse, _ request: JSONAPIRequest
        ) -> Result<JSONAPIRequest, JSONAPIError>? {
            let link = response.document?.links?.next
            guard let href = link?.href, let next = response.request(following: link, after: request) else {
                return nil
            }
            if let url = response.url { visited.insert(url) }
            guard visited.insert(response.url(of: link) ?? href).inserted else {
                let message = "The link `next` leads back to a page that was read before."
                return .failure(JSONAPIError(.pageLoop, message, response: response))
            }
            guard count < pages.limit else {
                let message = "The collection has more than \(pages.limit) pages."
                return .failure(JSONAPIError(.pageLoop, message, response: response))
            }
            return .success(next)
        }
    }
}

extension JSONAPISender {
    /// Returns the pages of a collection, beginning with that of a request.
    ///
    /// - Parameters:
    ///   - request: The request for the first page.
    ///   - limit: The largest number of pages. The default is 10 000.
    public func pages(_ request: JSONAPIRequest, limit: Int = 10_000) -> DocumentPages {
        DocumentPages(client: self, first: request, limit: limit)
    }
}
