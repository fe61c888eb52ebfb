// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    extension AsyncHTTPClientTransport {
        /// The options of a transport.
        public struct Configuration: Sendable {
            /// The largest number of HTTP/1.1 connections to one host. Further requests wait in order, and the wait
            /// counts towards `HTTPTimeouts.connect`. The default is 8.
            ///
            /// If a connection cannot be made, all requests that wait for one fail.
            public var connectionsPerHost = 8
            /// The time for which an idle connection is kept. The default is 60 seconds.
            public var idleConnectionTimeout = Duration.seconds(60)
            /// Whether HTTP/2 is offered to servers of `https`. The default is `true`.
            public var isHTTP2Enabled = true
            /// The limits of decompressing gzip and deflate; `nil` turns decompression off. It is on by default.
            public var decompression: Decompression? = Decompression()
            /// The options of TLS.
            public var tls = TLS()
            /// The proxy. The default is none. Environment variables such as `http_proxy` are not read.
            public var proxy: Proxy?

            public init() {}
        }

        /// The limits of decompression.
        public struct Decompression: Sendable, Hashable {
            /// The largest ratio of decompressed to compressed bytes; `nil` for no limit. The default is 500; deflate
            /// reaches at most 1032. A response beyond it fails with `HTTPTransportError.Code.bodyTooLarge`.
            public var maximumRatio: Int? = 500
            /// The largest decompressed body, in bytes; `nil`, the default, for no limit. A larger body fails with
            /// `HTTPTransportError.Code.bodyTooLarge`. The transport keeps one piece of a body in memory.
            public var maximumBytes: Int64?

            public init() {}
        }

        /// A proxy, which connects to the server on behalf of the client.
        public struct Proxy: Sendable, Hashable {
            enum Kind: Sendable, Hashable {
                case http(user: String?, password: String?)
                case socks5
            }

            var kind: Kind
            /// The name or address of the proxy.
            public var host: String
            /// The port of the proxy, from 1 to 65535. With another port, requests fail with
            /// `HTTPTransportError.Code.invalidRequest`.
            public var port: Int

            /// Makes an HTTP proxy. A tunnel (`CONNECT`, RFC 9110 §9.3.6) is used for `http` as well as for `https`.
            ///
            /// - Parameters:
            ///   - host: The name or address of the proxy.
            ///   - port: The port of the proxy.
            ///   - user: The user for Basic authentication; `nil` for none.
            ///   - password: The password for Basic authentication.
            public static func http(host: String, port: Int, user: String? = nil, password: String? = nil) -> Self {
                Self(kind: .http(user: user, password: password), host: host, port: port)
            }

            /// Makes a SOCKS 5 proxy (RFC 1928), without authentication.
            public static func socks5(host: String, port: Int = 1080) -> Self {
                Self(kind: .socks5, host: host, port: port)
            }
        }
    }
#endif
