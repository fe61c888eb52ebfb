// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport

extension Nginx {
    /// Runs nginx in front of a WebSocket server on 127.0.0.1, with authentication, redirects and refusals.
    static func run<Result>(
        upstream: Int, isolation: isolated (any Actor)? = #isolation,
        _ body: (Nginx) async throws -> sending Result
    ) async throws -> sending Result {
        let directives = Directives(
            locations: locations(upstream: upstream),
            http: "map $http_upgrade $connection_upgrade { default upgrade; '' ''; }")
        return try await run(directives, body)
    }

    /// The URL of a path behind a door, for a WebSocket.
    func socketURL(_ door: Door, _ path: String = "/", host: String = "localhost") -> String {
        url(door, path, scheme: "ws", host: host)
    }

    private static func locations(upstream: Int) -> String {
        let proxy =
            "proxy_pass http://127.0.0.1:\(upstream); proxy_http_version 1.1; proxy_set_header Host $http_host; "
            + "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;"
        return """
            location / { \(proxy) }
            location /bearer { if ($http_authorization != "Bearer t0ken") { return 401 "who are you"; } \(proxy) }
            location /basic { if ($http_authorization != "Basic dXNlcjpwYXNz") { return 401; } \(proxy) }
            location /query { if ($arg_token != "t0ken") { return 403 "no"; } \(proxy) }
            location /no-upgrade { proxy_pass http://127.0.0.1:\(upstream); }
            location /dead { proxy_pass http://127.0.0.1:1; }
            location = /301 { return 301 /elsewhere; }
            location = /307 { return 307 wss://elsewhere.example/; }
            location = /404 { return 404 "nothing here"; }
            location = /429 { add_header Retry-After 3 always; return 429 "slowly"; }
            location = /503 { add_header Retry-After 5 always; return 503 "down"; }
            location = /html { default_type text/html; return 200 "<html>login</html>"; }
            """
    }
}
