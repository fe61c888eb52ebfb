# swift-jsonrpc · SPDX-License-Identifier: MIT
"""The Python language server over WebSocket, on a free port of the loopback interface.

By itself it listens on every interface and on a given port: the function it serves with is replaced by one that does
the right thing and says where.
"""

import sys

import lifetime
import websockets

library_serve = websockets.serve


class LoopbackServe(library_serve):
    def __init__(self, handler, port):
        super().__init__(handler, "127.0.0.1", 0)

    async def __aenter__(self):
        server = await super().__aenter__()
        lifetime.announce(server.sockets[0].getsockname()[1])
        return server


websockets.serve = LoopbackServe
lifetime.end_with_parent()
sys.argv = ["pylsp", "--ws"]

from pylsp.__main__ import main  # noqa: E402

main()
