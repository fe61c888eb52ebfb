// swift-jsonrpc · SPDX-License-Identifier: MIT

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

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads the pages one by one.
    public struct Iterator: AsyncIteratorProtocol {
        private var pages: DocumentPages.Iterator
        private let request: ResourceCollectionRequest<R>

        init(_ pages: ResourcePages) {
            request = pages.request
            self.pages = request.client.pages(request.request, limit: pages.limit).makeAsyncIterator()
        }

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(JSONAPIError) -> ResourceCollectionResponse<R>? {
            guard let response = try await pages.next(isolation: actor) else { return nil }
            return try ResourceCollectionResponse(response, to: request)
        }
    }
}

/// The resources of all pages of a collection. A page is requested when the resources before it were read.
public struct PagedResources<R: RelationshipTarget>: AsyncSequence, Sendable {
    public typealias Element = R
    public typealias Failure = JSONAPIError

    let pages: ResourcePages<R>

    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Reads the resources one by one.
    public struct Iterator: AsyncIteratorProtocol {
        private var pages: ResourcePages<R>.Iterator
        private var resources: ArraySlice<R> = []

        init(pages: ResourcePages<R>.Iterator) { self.pages = pages }

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
    /// Returns the pages of the collection, beginning with that of this request.
    ///
    /// - Parameter limit: The largest number of pages. The default is 10 000.
    public func pages(limit: Int = 10_000) -> ResourcePages<R> { ResourcePages(request: self, limit: limit) }

    /// Returns the resources of all pages, beginning with the page of this request.
    ///
    /// - Parameter pageLimit: The largest number of pages. The default is 10 000.
    public func resources(pageLimit: Int = 10_000) -> PagedResources<R> {
        PagedResources(pages: pages(limit: pageLimit))
    }
}
