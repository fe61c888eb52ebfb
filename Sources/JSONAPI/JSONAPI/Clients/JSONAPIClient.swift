// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials
public import HTTPRequests
public import HTTPTypes

/// A client over an `HTTPSession`, which negotiates the media type of JSON:API.
///
/// ```swift
/// let session = HTTPSession(transport: transport, interceptors: [RetryInterceptor()])
/// let client = JSONAPIClient(session: session, baseURL: baseURL)
/// let response = try await client.send(JSONAPIRequest(path: "/articles/1"))
/// ```
///
/// The session's configuration limits the time and the size of a response. Its interceptors authorize, retry and log.
public struct JSONAPIClient: JSONAPISender {
    /// The options of a ``JSONAPIClient``.
    public struct Options: Sendable, Hashable {
        /// The URIs of the profiles that all requests apply. The default is none.
        public var profiles: [String] = []
        /// The media types of `Accept`, in descending order of preference. The default is none, which means the media
        /// type of JSON:API with the extensions and the profiles of the request.
        public var acceptedMediaTypes: [JSONAPIMediaType] = []
        /// Whether a request that fails with the status 406 or 415 is sent once more without profiles, and with the
        /// plain media type in `Accept`. The extensions of a request are kept. The default is `false`.
        public var retriesWithoutParameters = false
        /// The methods that are sent as `POST` with the field `X-HTTP-Method-Override`, for servers behind proxies that
        /// do not pass on `PATCH`. The default is none.
        public var overriddenMethods: Set<HTTPRequest.Method> = []
        /// Origins that links may lead to, besides that of the base URL, as URLs. The default is none: requests carry
        /// credentials, so links to other origins are refused.
        public var trustedOrigins: [URL] = []
        /// Fields of all requests. They replace those of the session's configuration.
        public var headerFields = HTTPFields()
        /// The rules for reading responses.
        public var response = ResponseOptions()

        public init() {}
    }

    /// The session that sends the requests.
    public let session: HTTPSession
    /// The URL of the API, such as `https://example.com/api`.
    public let baseURL: URL
    /// The options.
    public let options: JSONAPIClient.Options

    public init(session: HTTPSession, baseURL: URL, options: JSONAPIClient.Options = JSONAPIClient.Options()) {
        self.session = session
        self.baseURL = baseURL
        self.options = options
    }

    public var responseOptions: ResponseOptions {
        var response = options.response
        response.acceptedExtensions += options.acceptedMediaTypes.flatMap(\.extensions)
        return response
    }

    public func execute(_ request: JSONAPIRequest) async throws -> RawResponse {
        let type = JSONAPIMediaType(extensions: request.extensions, profiles: options.profiles + request.profiles)
        let accepted = options.acceptedMediaTypes.isEmpty ? [type] : options.acceptedMediaTypes
        let response = try await send(request, type: type, accepting: accepted)
        let plain = JSONAPIMediaType(extensions: request.extensions)
        guard options.retriesWithoutParameters, [406, 415].contains(response.head?.status.code),
            type != plain || accepted != [plain]
        else { return response }
        return try await send(request, type: plain, accepting: [plain])
    }

    private func send(
        _ request: JSONAPIRequest, type: JSONAPIMediaType, accepting accepted: [JSONAPIMediaType]
    ) async throws(JSONAPIError) -> RawResponse {
        let exchange = try DocumentExchange(request, of: self, type: type, accepting: accepted)
        do {
            return try await session.send(exchange)
        } catch {
            throw JSONAPIError(error)
        }
    }
}

extension JSONAPIError {
    init<Failure>(_ error: HTTPRequestError<Failure>) {
        let code: Code =
            switch error {
            case .request: .request
            case .cancelled: .cancelled
            case .connection, .response, .status: .connection
            }
        self.init(code, error.description, underlying: error, response: error.received)
    }
}

extension HTTPRequestError {
    /// The part of the response that has arrived.
    var received: ServerResponse? {
        let body: [UInt8]? =
            switch self {
            case .request(let failure), .connection(let failure), .response(let failure): failure.bodyBeginning
            case .status(let failure): failure.bodyBeginning
            case .cancelled: nil
            }
        return head.map { ServerResponse(RawResponse(head: $0, body: body)) }
    }
}

/// One request of a ``JSONAPIClient`` for its session.
struct DocumentExchange: HTTPAPIRequest {
    typealias Response = RawResponse

    let baseURL: URL
    let path: String
    let method: HTTPRequest.Method
    let queryItems: [HTTPQueryItem]
    let queryEncoding = JSONAPIQuery.encoding
    let headerFields: HTTPFields
    let body: DataHTTPBody?
    let isIdempotent: Bool
    /// The scheme, the authority and the path of a link, which replace those of the base URL.
    private let link: HTTPRequest?

    init(
        _ request: JSONAPIRequest, of client: JSONAPIClient, type: JSONAPIMediaType,
        accepting accepted: [JSONAPIMediaType]
    ) throws(JSONAPIError) {
        let options = client.options
        baseURL = client.baseURL
        queryItems = request.query.items
        isIdempotent = request.isIdempotent ?? [.get, .head, .delete, .put].contains(request.method)
        body = request.body.map { DataHTTPBody($0.bytes, contentType: type.description) }
        var fields = options.headerFields
        fields[.accept] = JSONAPIMediaType.accept(accepted)
        if options.overriddenMethods.contains(request.method) {
            method = .post
            if let name = HTTPField.Name("X-HTTP-Method-Override") { fields[name] = request.method.rawValue }
        } else {
            method = request.method
        }
        headerFields = fields
        (path, link) = try Self.destination(of: request, client)
    }

    /// The path below the base URL, or else the head of a request for a link.
    private static func destination(
        of request: JSONAPIRequest, _ client: JSONAPIClient
    ) throws(JSONAPIError) -> (path: String, link: HTTPRequest?) {
        switch request.target {
        case .path(let path): return (path, nil)
        case .link(let reference, let base):
            let own = HTTPRequest(reference: client.baseURL.absoluteString)
            let trusted = client.options.trustedOrigins.map { HTTPRequest(reference: $0.absoluteString) } + [own]
            do {
                // A redirect to another origin does not make that origin trusted.
                let link = try JSONAPIRequest.Target.resolve(
                    reference, against: base.flatMap { HTTPRequest(reference: $0) } ?? own,
                    trusted: Set(trusted.compactMap { $0.map(URLOrigin.init) }), trustsBase: false)
                return ("", link)
            } catch {
                guard let path = request.fallbackPath else { throw error }
                return (path, nil)
            }
        }
    }

    func intercept(_ request: inout HTTPRequest) {
        guard let link else { return }
        request.scheme = link.scheme
        request.authority = link.authority
        let query = JSONAPIQuery.encoding.encode(queryItems)
        let path = link.path ?? "/"
        request.path = query.isEmpty ? path : path + (path.contains("?") ? "&" : "?") + query
    }

    func validate(_ head: HTTPResponse) {}

    func response(from content: HTTPResponseContent) async throws -> RawResponse {
        let url = content.request?.url
        do {
            return RawResponse(head: content.head, body: try await content.bytes(), url: url)
        } catch HTTPByteStreamError.tooLarge(_, let beginning) where content.head.status.kind != .successful {
            // The status matters more than the rest of the body.
            return RawResponse(head: content.head, body: beginning, url: url)
        } catch let error as HTTPTransportError
            where content.head.status.kind != .successful && error.code != .timedOut
        {
            return RawResponse(head: content.head, body: nil, url: url)
        }
    }
}
