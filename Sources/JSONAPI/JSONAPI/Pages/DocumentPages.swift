// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The pages of a collection, as uninterpreted documents.
///
/// Each page is requested on demand, by the link `next` as the server gave it. The sequence ends with the page whose
/// link `next` is absent or `null`. It throws a ``JSONAPIError`` with the code ``JSONAPIError/Code/pageLoop`` if a link
/// leads back to an earlier page, or after ``limit`` pages. A failure ends the iteration. Each iteration begins with
/// the first page.
public struct DocumentPages: AsyncSequence, Sendable {
    public typealias Element = ServerResponse
    public typealias Failure = JSONAPIError

    /// The client.
    public let client: any JSONAPISender
    /// The request for the first page.
    public let first: JSONAPIRequest
    /// The largest number of pages.
    public let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(pages: self, upcoming: .success(first)) }

    /// Reads the pages one by one.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pages: DocumentPages
        fileprivate var upcoming: Result<JSONAPIRequest, JSONAPIError>?
        fileprivate var visited: Set<String> = []
        fileprivate var count = 0

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

        /// Returns the request for the page after a response, or the reason why it is not made.
        private mutating func nextRequest(
            after response: ServerResponse, _ request: JSONAPIRequest
        ) -> Result<JSONAPIRequest, JSONAPIError>? {
            let link = response.document?.links?.next
            guard let href = link?.href, let next = response.request(following: link, after: request) else {
                return nil
            }
            if let url = response.url { visited.insert(url) }
            let message: String
            if !visited.insert(response.url(of: link) ?? href).inserted {
                message = "The link `next` leads back to a page that was read before."
            } else if count >= pages.limit {
                message = "The collection has more than \(pages.limit) pages."
            } else {
                return .success(next)
            }
            return .failure(JSONAPIError(.pageLoop, message, response: response))
        }
    }
}

extension JSONAPISender {
    /// Returns the pages of a collection, beginning with that of a request, and at most `limit` of them.
    public func pages(_ request: JSONAPIRequest, limit: Int = 10_000) -> DocumentPages {
        DocumentPages(client: self, first: request, limit: limit)
    }
}

/// The pages of a collection, read one by one as in ``DocumentPages``.
///
/// ```swift
/// for try await page in articles.search().page(.number(1, size: 10)).pages() {
///     print(page.resources.count)
/// }
/// ```
public struct ResourcePages<R: RelationshipTarget>: AsyncSequence, Sendable {
    public typealias Element = ResourceCollectionResponse<R>
    public typealias Failure = JSONAPIError

    let request: ResourceCollectionRequest<R>
    let limit: Int

    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: request.client.pages(request.request, limit: limit).makeAsyncIterator(), request: request)
    }

    /// Reads the pages one by one.
    public struct Iterator: AsyncIteratorProtocol {
        /// The pages that were not read yet. A failure leaves none.
        fileprivate var pages: DocumentPages.Iterator?
        fileprivate let request: ResourceCollectionRequest<R>

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(JSONAPIError) -> ResourceCollectionResponse<R>? {
            guard let response = try await pages?.next(isolation: actor) else { return nil }
            do {
                return try await request.read(response)
            } catch {
                pages = nil
                throw error
            }
        }
    }
}

/// The resources of all pages of a collection. A page is requested once the resources before it were read.
public struct PagedResources<R: RelationshipTarget>: AsyncSequence, Sendable {
    public typealias Element = R
    public typealias Failure = JSONAPIError

    let pages: ResourcePages<R>

    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Reads the resources one by one.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pages: ResourcePages<R>.Iterator
        fileprivate var resources: ArraySlice<R> = []

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(JSONAPIError) -> R? {
            // A page can be empty although it has a next one.
            while resources.isEmpty {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                resources = page.resources[...]
            }
            return resources.removeFirst()
        }
    }
}

extension ResourceCollectionRequest {
    /// Returns the pages of the collection, beginning with that of this request, and at most `limit` of them.
    public func pages(limit: Int = 10_000) -> ResourcePages<R> { ResourcePages(request: self, limit: limit) }

    /// Returns the resources of all pages, at most `pageLimit`, beginning with the page of this request.
    public func resources(pageLimit: Int = 10_000) -> PagedResources<R> {
        PagedResources(pages: pages(limit: pageLimit))
    }
}
