// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport

/// nginx as an HTTP server: compression, refusals, slow and cut responses.
enum WebServer {
    /// The file `large`: lines of text.
    static let large = String(repeating: "nginx serves this line again and again\n", count: 50_000)

    /// Runs nginx with `/upstream` in front of the server on a port of 127.0.0.1, and with further directives.
    static func run<Result>(
        upstream: Int = 1, http: String = "", isolation: isolated (any Actor)? = #isolation,
        _ body: (Nginx) async throws -> sending Result
    ) async throws -> sending Result {
        try await Nginx.run(
            Nginx.Directives(locations: locations(upstream: upstream), http: http, files: ["large": large]), body)
    }

    private static func locations(upstream: Int) -> String {
        """
        default_type text/plain;
        location = / { return 200 "$server_protocol $ssl_client_s_dn $connection_requests"; }
        location = /large { root files; }
        location = /gzip { alias files/large; gzip on; gzip_types *; gzip_min_length 1; }
        location = /slow { alias files/large; limit_rate 1m; }
        location = /upstream { proxy_pass http://127.0.0.1:\(upstream); proxy_http_version 1.1; proxy_buffering off; }
        location = /dead { proxy_pass http://127.0.0.1:1; }
        location = /small { client_max_body_size 10k; proxy_pass http://127.0.0.1:\(upstream); }
        location = /301 { return 301 /elsewhere; }
        location = /307 { return 307 https://elsewhere.example/; }
        location = /404 { return 404 "nothing here"; }
        location = /429 { add_header Retry-After 3 always; return 429 "slowly"; }
        location = /503 { add_header Retry-After "Wed, 21 Oct 2026 07:28:00 GMT" always; return 503 "down"; }
        location = /204 { return 204; }
        location = /444 { return 444; }
        """
    }
}
