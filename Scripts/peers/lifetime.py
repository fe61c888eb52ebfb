# swift-jsonrpc · SPDX-License-Identifier: MIT
"""What every Python peer shares: it says when it is ready, and never outlives the program which started it."""

import os
import sys
import threading


def end_with_parent():
    """Ends this process when its stdin does: the other end of that pipe is held by the tests."""

    def watch():
        while sys.stdin.buffer.read(4096):
            pass
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def announce(port):
    """Says on which port of the loopback interface this peer now listens."""
    print(f"listening on port {port}", flush=True)
