// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import HTTPTypes

extension JSONAPIClient {
    /// The options of a ``JSONAPIClient``.
    public struct Options: Sendable, Hashable {
        /// The URIs of the profiles that all requests apply. The default is none.
        public var profiles: [String] = []
        /// The media types of `Accept`, in descending order of preference. The default is none, which means the media type of
        /// JSON:API with the extensions and the profiles of the request.
        public var acceptedMediaTypes: [JSONAPIMediaType] = []
        /// Whether a request that fails with the status 406 or 415 is sent once more without profiles, and with the plain media
        /// type in `Accept`. The extensions of a request are kept. The default is `false`.
        public var retriesWithoutParameters = false
        /// The methods that are sent as `POST` with the field `X-HTTP-Method-Override`, for servers behind proxies that do not
        /// pass on `PATCH`. The default is none.
        public var overriddenMethods: Set<HTTPRequest.Method> = []
        /// URLs with the origins, besides that of the base URL, that links may lead to. The default is none: requests carry
        /// credentials, so links to other origins are refused.
        public var trustedOrigins: [URL] = []
        /// Fields of all requests. They replace those of the session's configuration.
        public var headerFields = HTTPFields()
        /// The rules for reading responses.
        public var response = ResponseOptions()

        /// Creates options with the defaults.
        public init() {}
    }
}
