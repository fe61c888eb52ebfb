# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Records the frames that servers of others send, for the differential test of both engines.

.tools/python/bin/python Scripts/record-frames.py writes one file for each server to the folder below. Needs aria2c and Node's ws
too. Run it again only to record newer versions.
"""

import asyncio
import base64
import json
import os
import pathlib
import socket
import struct
import subprocess

import websockets
from aiohttp import web

FOLDER = pathlib.Path(__file__).parent.parent / "Tests/Network/WebSocketTests/Engines/Recorded"
TEXTS = [
    "", "hello", "é€😀" * 50, '{"jsonrpc":"2.0","id":1,"result":[1,2,3]}', "x" * 125, "x" * 126,
]
NODE = """
const { WebSocketServer } = require("/usr/share/nodejs/ws");
const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
server.on("listening", () => console.log(server.address().port));
server.on("connection", (socket) => {
  for (const text of %s) socket.send(text);
  socket.send("one, ", { fin: false });
  socket.ping("between");
  socket.send("two", { fin: true });
  socket.send(Buffer.from([0, 255, 128]));
  socket.close(4001, "bye é");
});
"""


def frame(opcode, payload):
    """A frame of a client, whose mask is zero."""
    return bytes([0x80 | opcode, 0x80 | len(payload)]) + bytes(4) + payload


async def record(name, port, path="/", requests=()):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    key = base64.b64encode(os.urandom(16)).decode()
    writer.write(
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode())
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    assert head.startswith(b"HTTP/1.1 101 "), head
    frames = b""
    for request in requests:
        writer.write(frame(1, request.encode()))
        frames += await one_frame(reader)
    if requests:
        writer.write(frame(8, struct.pack("!H", 1000)))
    last = b"\0"
    while last[0] & 15 != 8:
        last = await one_frame(reader)
        frames += last
    if not requests:
        writer.write(frame(8, struct.pack("!H", 1000)))
    writer.close()
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.frames").write_bytes(frames)
    print(name, len(frames))


async def one_frame(reader):
    first = await asyncio.wait_for(reader.readexactly(2), 10)
    extra = await reader.readexactly({126: 2, 127: 8}.get(first[1], 0))
    return first + extra + await reader.readexactly(int.from_bytes(extra, "big") if extra else first[1])


async def websockets_server(connection):
    for text in TEXTS:
        await connection.send(text)
    await connection.send(["frag", "", "ments é"])
    await connection.ping(b"between")
    await connection.send([b"\x00", b"\xff"])
    await connection.close(1001, "bye")


async def aiohttp_server(request):
    response = web.WebSocketResponse(compress=False)
    await response.prepare(request)
    for text in TEXTS:
        await response.send_str(text)
    await response.ping(b"between")
    await response.send_bytes(bytes(range(256)))
    await response.close(code=4999, message=b"bye")
    return response


async def main():
    async with websockets.serve(websockets_server, "127.0.0.1", 0, compression=None) as server:
        await record("websockets", server.sockets[0].getsockname()[1])

    application = web.Application()
    application.router.add_get("/", aiohttp_server)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    await record("aiohttp", site._server.sockets[0].getsockname()[1])
    await runner.cleanup()

    with subprocess.Popen(["node", "-e", NODE % json.dumps(TEXTS)], stdout=subprocess.PIPE) as node:
        await record("ws", int(node.stdout.readline()))
        node.kill()

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-conf", "--enable-rpc", f"--rpc-listen-port={port}", "--disable-ipv6", "--quiet"]
    with subprocess.Popen(["aria2c", *options]) as aria2:
        while subprocess.run(["curl", "-s", "-o", os.devnull, f"http://127.0.0.1:{port}/"]).returncode == 7:
            await asyncio.sleep(0.1)
        methods = ["aria2.getVersion", "system.listMethods", "no.such.method"]
        calls = [json.dumps({"jsonrpc": "2.0", "id": id, "method": method}) for id, method in enumerate(methods)]
        await record("aria2", port, "/jsonrpc", calls)
        aria2.kill()


asyncio.run(main())
