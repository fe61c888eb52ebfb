# swift-jsonrpc · SPDX-License-Identifier: MIT
"""The Python language server over WebSocket, on the loopback interface.

By itself it listens on every interface: the function it serves with is replaced by one that does the right thing and
says where. An argument is the port; the default is a free port.
"""

import sys

import lifetime
import parso.cache
import websockets

# jedi writes the files of its cache in place. A server that read one while another server wrote it, or after that server
# was killed, would answer with no completions. This fails if the function has another name.
assert callable(parso.cache._save_to_file_system)
parso.cache._save_to_file_system = lambda *arguments, **options: None

library_serve = websockets.serve
port_to_serve = int(sys.argv[1]) if len(sys.argv) > 1 else 0


class LoopbackServe(library_serve):
    def __init__(self, handler, port):
        super().__init__(handler, "127.0.0.1", port_to_serve)

    async def __aenter__(self):
        server = await super().__aenter__()
        lifetime.announce(server.sockets[0].getsockname()[1])
        return server


websockets.serve = LoopbackServe
lifetime.end_with_parent()
sys.argv = ["pylsp", "--ws"]

from pylsp.__main__ import main  # noqa: E402

main()
