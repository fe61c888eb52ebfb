// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClient
    import HTTPRequests
    import HTTPSyntax
    import HTTPTypes
    import NIOHTTP1

    extension HTTPClientRequest {
        /// Throws an ``HTTPTransportError`` if the scheme or the authority is missing, or if the authority is not a host
        /// with or without a port.
        init(_ request: HTTPRequest) throws {
            guard let scheme = request.scheme, let authority = request.authority, !authority.isEmpty else {
                throw HTTPTransportError(
                    .invalidRequest, "The request to '\(request.path ?? "")' has no scheme or no host.",
                    isRequestUnsent: true)
            }
            guard HTTPAuthority.isValid(authority) else { throw HTTPTransportError.invalidAuthority(of: request) }
            let path = PercentEncoding.target(request.path ?? "/")
            var url = scheme
            url.reserveCapacity(scheme.utf8.count + authority.utf8.count + path.utf8.count + 4)
            url += "://"
            url += authority
            if path.utf8.first != UInt8(ascii: "/") { url += "/" }
            url += path
            self.init(url: url)
            method = NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue)
            headers.reserveCapacity(request.headerFields.count + 3)
            for field in request.headerFields { headers.add(name: field.name.rawName, value: field.value) }
        }
    }

    extension HTTPResponse {
        /// Converts a head, and removes the fields that no longer describe a decompressed body.
        ///
        /// - Parameter isDecompressing: Whether the client decompresses; `nil` if that is unknown.
        /// - Throws: An ``HTTPTransportError`` if the status is not a number of three digits.
        static func read(
            _ response: HTTPClientResponse, isDecompressing: Bool?
        ) throws -> (head: HTTPResponse, isDecompressed: Bool) {
            let code = Int(response.status.code)
            guard (100...999).contains(code) else {
                throw HTTPTransportError(.protocolViolation, "The server sent the status \(code).")
            }
            var fields = HTTPFields()
            var coding: String?
            for (name, value) in response.headers {
                guard let name = HTTPField.Name(name) else { continue }
                if coding == nil, name == .contentEncoding { coding = value.lowercased() }
                fields.append(HTTPField(name: name, value: value))
            }
            let isDecompressed = isDecompressing == true && (coding == "gzip" || coding == "deflate")
            if isDecompressed {
                fields[.contentEncoding] = nil
                fields[.contentLength] = nil
            }
            let status = HTTPResponse.Status(code: code, reasonPhrase: response.status.reasonPhrase)
            return (HTTPResponse(status: status, headerFields: fields), isDecompressed)
        }
    }

    extension HTTPClientResponse {
        /// The facts that the client knows. Since HTTP/2, versions have no minor number (RFC 9110 §2.5).
        var facts: HTTPExchangeFacts {
            switch version {
            case .http1_1: HTTPExchangeFacts(httpVersion: "1.1")
            case .http2: HTTPExchangeFacts(httpVersion: "2")
            default: HTTPExchangeFacts(httpVersion: "\(version.major).\(version.minor)")
            }
        }

        /// The length of the body that `Content-Length` announces; `nil` if it is unknown.
        func announcedLength(toMethod method: HTTPRequest.Method) -> Int64? {
            if method == .head || status == .noContent || status == .notModified { return 0 }
            return headers.first(name: "Content-Length").flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
        }
    }
#endif
