# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Answers as GitHub's API does, for one repository: what the article "Calling an HTTP API" calls."""

import http.server
import json

import lifetime


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if not self.headers["User-Agent"]:
            self.answer(403, {"message": "Request forbidden by administrative rules."})
        elif self.path == "/repos/swiftlang/swift":
            self.answer(200, {"name": "swift", "stargazers_count": 69000})
        else:
            self.answer(404, {"message": "Not Found"})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


lifetime.end_with_parent()
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
    lifetime.announce(server.server_address[1])
    server.serve_forever()
