# swift-jsonrpc · SPDX-License-Identifier: MIT
"""JSON-RPC 2.0 over Python's `websockets`, which checks each frame strictly.

Methods: echo (its params), subtract, sleep (seconds), fail, call_back (calls `method` of the client and returns its
answer), tick (that many notifications), close (the given code and reason), wire (how this connection was made).
Options: --deflate offers permessage-deflate, --subprotocol NAME selects that one, --max-size BYTES.
"""

import argparse
import asyncio
import itertools
import json

import lifetime
import websockets


class Fault(Exception):
    def __init__(self, code, message, data=None):
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class Connection:
    def __init__(self, socket):
        self.socket = socket
        self.ids = itertools.count()
        self.waiting = {}

    async def run(self):
        async with asyncio.TaskGroup() as tasks:
            async for text in self.socket:
                message = json.loads(text)
                if isinstance(message, list):
                    tasks.create_task(self.serve_batch(message))
                elif "method" in message:
                    tasks.create_task(self.serve_one(message))
                else:
                    self.waiting.pop(message["id"]).set_result(message)

    async def serve_one(self, request):
        if (response := await self.respond(request)) is not None:
            await self.socket.send(json.dumps(response))

    async def serve_batch(self, requests):
        responses = await asyncio.gather(*map(self.respond, requests))
        responses = [response for response in responses if response is not None]
        if responses:
            await self.socket.send(json.dumps(responses))

    async def respond(self, request):
        try:
            method = getattr(self, "rpc_" + request["method"], None)
            if method is None:
                raise Fault(-32601, "Method not found")
            outcome = {"result": await method(request.get("params"))}
        except Fault as fault:
            outcome = {"error": fault.error}
        return {"jsonrpc": "2.0", "id": request["id"], **outcome} if "id" in request else None

    async def rpc_echo(self, params):
        return params

    async def rpc_subtract(self, params):
        return params[0] - params[1]

    async def rpc_sleep(self, params):
        await asyncio.sleep(params[0])
        return params[0]

    async def rpc_fail(self, params):
        raise Fault(*params)

    async def rpc_call_back(self, params):
        number = next(self.ids)
        self.waiting[number] = asyncio.get_running_loop().create_future()
        request = {"jsonrpc": "2.0", "id": number, "method": params["method"], "params": params["params"]}
        await self.socket.send(json.dumps(request))
        answer = await self.waiting[number]
        return {key: answer[key] for key in ("result", "error") if key in answer}

    async def rpc_tick(self, params):
        for tick in range(params[0]):
            await self.socket.send(json.dumps({"jsonrpc": "2.0", "method": "tick", "params": [tick]}))
        return params[0]

    async def rpc_close(self, params):
        await self.socket.close(params[0], params[1])

    async def rpc_wire(self, params):
        return {
            "subprotocol": self.socket.subprotocol,
            "extensions": [extension.name for extension in self.socket.protocol.extensions],
            "headers": {name.lower(): value for name, value in self.socket.request.headers.raw_items()},
        }


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--deflate", action="store_true")
    parser.add_argument("--subprotocol", action="append")
    parser.add_argument("--max-size", type=int, default=128 << 20)
    options = parser.parse_args()
    serving = websockets.serve(
        lambda socket: Connection(socket).run(),
        "127.0.0.1",
        0,
        compression="deflate" if options.deflate else None,
        subprotocols=options.subprotocol,
        max_size=options.max_size,
    )
    async with serving as server:
        lifetime.announce(server.sockets[0].getsockname()[1])
        await server.wait_closed()


lifetime.end_with_parent()
asyncio.run(main())
