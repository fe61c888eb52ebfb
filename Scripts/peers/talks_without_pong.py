# swift-jsonrpc · SPDX-License-Identifier: MIT
"""A WebSocket server that sends a notification twice a second and never answers a PING.

Prints its port, then how many PINGs it left unanswered when the client has gone. Python's standard library alone.
"""

import base64
import hashlib
import json
import select
import socket
import sys
import time


def accept(listener):
    connection, _ = listener.accept()
    request = b""
    while b"\r\n\r\n" not in request:
        piece = connection.recv(4096)
        if not piece:
            sys.exit("the client went away during its opening handshake")
        request += piece
    fields = dict(
        line.split(": ", 1) for line in request.decode("latin-1").split("\r\n")[1:] if ": " in line
    )
    key = {name.lower(): value for name, value in fields.items()}["sec-websocket-key"]
    digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
    connection.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        + base64.b64encode(digest) + b"\r\n\r\n"
    )
    return connection


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    connection = accept(listener)
    received = b""
    pings = 0
    number = 0
    upcoming = time.monotonic()
    while True:
        readable, _, _ = select.select([connection], [], [], max(0, upcoming - time.monotonic()))
        if readable:
            piece = connection.recv(4096)
            if not piece:
                break
            received += piece
        # Client frames: masked, and short, since all that comes are PINGs and a CLOSE.
        while len(received) >= 6 and len(received) >= 6 + (received[1] & 0x7F):
            opcode = received[0] & 0x0F
            size = 6 + (received[1] & 0x7F)
            mask = received[2:6]
            payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(received[6:size]))
            received = received[size:]
            if opcode == 0x9:
                pings += 1
            elif opcode == 0x8:
                connection.sendall(bytes([0x88, len(payload)]) + payload)
                connection.close()
                print(f"unanswered pings: {pings}", flush=True)
                return
        if time.monotonic() >= upcoming:
            upcoming += 0.5
            number += 1
            text = json.dumps({"jsonrpc": "2.0", "method": "talk", "params": [number]}).encode()
            connection.sendall(bytes([0x81, len(text)]) + text)
    print(f"unanswered pings: {pings}", flush=True)


main()
