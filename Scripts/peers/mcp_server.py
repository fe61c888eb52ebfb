# swift-jsonrpc · SPDX-License-Identifier: MIT
"""A Model Context Protocol server over WebSocket: a few tools, registered with the official SDK.

An argument is the port; the default is a free port.
"""

import asyncio
import socket
import sys
import warnings

import lifetime
import uvicorn
from mcp import types
from mcp.server.fastmcp import Context, FastMCP

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from mcp.server.websocket import websocket_server

tools = FastMCP("swift-jsonrpc peer")
slow_calls_ended_early = 0


@tools.tool()
async def add(a: float, b: float) -> float:
    return a + b


@tools.tool()
async def slow(steps: int, pause: float, ctx: Context) -> str:
    """Reports progress after each step; counts the calls that were cancelled."""
    global slow_calls_ended_early
    try:
        for step in range(steps):
            await asyncio.sleep(pause)
            await ctx.report_progress(step + 1, steps)
    except asyncio.CancelledError:
        slow_calls_ended_early += 1
        raise
    return "done"


@tools.tool()
async def cancelled_count() -> int:
    return slow_calls_ended_early


@tools.tool()
async def ask_client(text: str, ctx: Context) -> str:
    """Asks the client's language model, and repeats what it said."""
    question = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=text))
    answer = await ctx.session.create_message([question], max_tokens=16)
    return answer.content.text


@tools.tool()
async def roots(ctx: Context) -> list[str]:
    return [str(root.uri) for root in (await ctx.session.list_roots()).roots]


@tools.tool()
async def boom() -> str:
    raise ValueError("bäng")


async def serve_connection(scope, receive, send):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        async with websocket_server(scope, receive, send) as (incoming, outgoing):
            server = tools._mcp_server
            await server.run(incoming, outgoing, server.create_initialization_options())


def main():
    lifetime.end_with_parent()
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    lifetime.announce(listener.getsockname()[1])
    config = uvicorn.Config(serve_connection, ws="websockets-sansio", lifespan="off", log_level="warning")
    uvicorn.Server(config).run(sockets=[listener])


main()
