# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Answers each HTTP/2 request over TLS with the status that is an argument, a number or not."""

import os
import socketserver
import ssl
import sys

import lifetime

HEADERS, SETTINGS = 1, 4
END_STREAM, ACK, END_HEADERS = 1, 1, 4
PREFACE_BYTES, HEADER_BYTES = 24, 9

certificate, key = sys.argv[1:3]
status = os.fsencode(sys.argv[3])
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.set_alpn_protocols(["h2"])


def frame(kind, flags, stream, payload=b""):
    """Returns a frame (RFC 9113 section 4.1)."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


class Connection(socketserver.StreamRequestHandler):
    def setup(self):
        self.request = context.wrap_socket(self.request, server_side=True)
        super().setup()

    def handle(self):
        self.rfile.read(PREFACE_BYTES)
        self.wfile.write(frame(SETTINGS, 0, 0))
        while len(header := self.rfile.read(HEADER_BYTES)) == HEADER_BYTES:
            self.rfile.read(int.from_bytes(header[:3], "big"))
            kind, flags, stream = header[3], header[4], int.from_bytes(header[5:], "big")
            if kind == SETTINGS and not flags & ACK:
                self.wfile.write(frame(SETTINGS, ACK, 0))
            if kind == HEADERS:
                # A literal value for the name 8 of the static table, `:status` (RFC 7541 section 6.2.2).
                block = bytes([8, len(status)]) + status
                self.wfile.write(frame(HEADERS, END_HEADERS | END_STREAM, stream, block))


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that leaves is no reason for a message."""


lifetime.end_with_parent()
with Server(("127.0.0.1", 0), Connection) as server:
    lifetime.announce(server.server_address[1])
    server.serve_forever()
