// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// Stores responses, and asks the server whether they are still current instead of transferring them again (RFC 9110
/// §13, RFC 9111 §4.3).
///
/// ```swift
/// let store = MemoryHTTPResponseStore()
/// let session = HTTPSession(transport: transport, interceptors: [RevalidationInterceptor(store: store)])
/// ```
///
/// A `GET` request whose response is stored is sent with `If-None-Match` or `If-Modified-Since`. If the server answers
/// with 304, the result is the stored response, updated with the header fields of the 304. They can enlarge a head to
/// 64 KiB, with 200 bytes counted for each field and names counted twice; what does not fit is left out. No response is
/// used without asking the server, whatever `Cache-Control` permits.
///
/// A response is stored once its body was read to its end, if its status is 200, it has an `ETag` or `Last-Modified`,
/// and neither side says `no-store`. It is used for requests with the same URL, `Accept`, `Authorization`, `Cookie` and
/// fields that `Vary` names. Requests with a condition of their own, or with `Range`, are passed on unchanged.
///
/// Put it inside an ``AuthorizationInterceptor``, so that it sees the credentials.
public struct RevalidationInterceptor: HTTPInterceptor {
    /// The place where responses are kept.
    public var store: any HTTPResponseStore
    /// The largest body that is stored, in bytes. The default is 1 MiB.
    public var maximumBodyBytes = 1 << 20

    public init(store: some HTTPResponseStore) { self.store = store }

    private static let conditions: [HTTPField.Name] = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange, .range,
    ]

    public func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> ReceivedHTTPResponse {
        guard request.method == .get, body == nil, !Self.conditions.contains(where: request.headerFields.contains)
        else { return try await next(request, body: body, context: context) }
        let url = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
        let stored = await store.response(for: url).flatMap { $0.isSelected(by: request) ? $0 : nil }
        var conditional = request
        stored?.addCondition(to: &conditional.headerFields)
        var response = try await next(conditional, body: body, context: context)
        if let stored, response.head.status == .notModified {
            await response.body.discard()
            let updated = stored.updated(by: response.head)
            await store.store(updated)
            response.head = updated.head
            response.body = HTTPByteStream(updated.body)
        } else if let new = StoredHTTPResponse(response.head, to: request, at: url) {
            response.body.mapSource { StoringSource(base: $0, response: new, store: store, limit: maximumBodyBytes) }
        }
        return response
    }
}

/// A body that is stored once it was read to its end.
private struct StoringSource: HTTPByteSource {
    var base: any HTTPByteSource
    var response: StoredHTTPResponse
    let store: any HTTPResponseStore
    let limit: Int
    /// Whether the body is within the limit, and not stored yet.
    var isKept = true

    mutating func next() async throws -> ArraySlice<UInt8>? {
        guard let piece = try await base.next() else {
            if isKept {
                releaseSpareCapacity()
                await store.store(response)
            }
            isKept = false
            return nil
        }
        isKept = isKept && piece.count <= limit - response.body.count
        if isKept { response.body += piece } else { response.body = [] }
        return piece
    }

    /// Copies the body if more than an eighth of its size is free behind it.
    private mutating func releaseSpareCapacity() {
        let body = response.body
        guard body.capacity - body.count > body.count / 8 else { return }
        // An array from the array would share its storage.
        response.body = []
        response.body.reserveCapacity(body.count)
        response.body += body
    }
}
