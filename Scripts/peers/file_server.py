# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Serves the files of a folder over HTTP: what the download manager among the peers downloads."""

import functools
import http.server
import sys

import lifetime

handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
lifetime.end_with_parent()
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
    lifetime.announce(server.server_address[1])
    server.serve_forever()
