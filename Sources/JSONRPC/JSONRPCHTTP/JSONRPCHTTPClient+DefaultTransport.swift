// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClientTransport
    public import JSONRPCSession

    extension JSONRPCHTTPClient {
        /// Makes a client that sends its POSTs over `AsyncHTTPClientTransport.shared`. It needs the package trait
        /// `AsyncHTTPClient`, which is on by default. Nothing is sent yet.
        ///
        /// ```swift
        /// let rpc = JSONRPCHTTPClient(url: "http://127.0.0.1:6800/jsonrpc")
        /// ```
        ///
        /// - Parameters:
        ///   - url: The `http` or `https` URL to which the POSTs are sent. If it is malformed, every call fails with
        ///     ``JSONRPCHTTPError/invalidURL(_:)``.
        ///   - configuration: The options that concern JSON-RPC.
        ///   - options: The options that concern HTTP.
        public convenience init(
            url: String, configuration: SessionConfiguration = SessionConfiguration(),
            options: JSONRPCHTTPOptions = JSONRPCHTTPOptions()
        ) {
            self.init(
                url: url, over: AsyncHTTPClientTransport.shared, configuration: configuration, options: options)
        }
    }
#endif
