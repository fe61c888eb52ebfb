# swift-jsonrpc · SPDX-License-Identifier: MIT
"""An Ethereum node over WebSocket: a real chain (eth-tester on py-evm) behind jsonrpcserver and websockets.

Neither Debian nor PyPI has a node that serves WebSocket, so this file joins the three. The chain is kept in a file and
survives kill -9. Arguments: the file; the port, or 0; the number of blocks to mine before the node listens, as if it
had caught up with its network.
"""

import asyncio
import itertools
import json
import os
import pickle
import re
import sys

import lifetime
import websockets
from eth.db.atomic import AtomicDB
from eth.db.backends.memory import MemoryDB
from eth_tester import EthereumTester, PyEVMBackend
from eth_tester.exceptions import BlockNotFound
from jsonrpcserver import Success, async_dispatch

file, port, missed_blocks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
backend = PyEVMBackend()
if os.path.exists(file):
    with open(file, "rb") as saved:
        backend.chain = type(backend.chain)(AtomicDB(MemoryDB(pickle.load(saved))))
chain = EthereumTester(backend)
ids = itertools.count(1)
subscriptions = {}


def head():
    return chain.get_block_by_number()["number"]


published = head()


def wire(value):
    """Writes values and names as Ethereum's JSON-RPC does."""
    if isinstance(value, dict):
        return {re.sub("_(.)", lambda match: match[1].upper(), name): wire(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [wire(element) for element in value]
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return hex(value) if isinstance(value, int) and not isinstance(value, bool) else value


def block(_, number, full=False):
    try:
        return chain.get_block_by_number(int(number, 16) if number.startswith("0x") else number, full)
    except BlockNotFound:
        return None


def send_transaction(_, transaction):
    return chain.send_transaction(transaction | {"gas": int(transaction["gas"], 16)})


def logs(first, last, filter):
    return chain.get_logs(first, last, filter.get("address"), filter.get("topics"))


def subscribe(connection, kind, filter=None):
    id = hex(next(ids))
    subscriptions[id] = (connection, kind, filter or {})
    return id


methods = {
    "eth_accounts": lambda _: chain.get_accounts(),
    "eth_blockNumber": lambda _: head(),
    "eth_getBlockByNumber": block,
    "eth_getLogs": lambda _, filter: logs(int(filter["fromBlock"], 16), head(), filter),
    "eth_getTransactionReceipt": lambda _, hash: chain.get_transaction_receipt(hash),
    "eth_sendTransaction": send_transaction,
    "eth_subscribe": subscribe,
    "eth_unsubscribe": lambda _, id: subscriptions.pop(id, None) is not None,
    "evm_mine": lambda _: chain.mine_block(),
}


def exported(function):
    async def answer(connection, *params):
        return Success(wire(function(connection, *params)))

    return answer


async def publish():
    """Saves and publishes the blocks that were mined since the last time."""
    global published
    first, published = published + 1, head()
    if first > published:
        return
    with open(file + ".new", "wb") as saved:
        pickle.dump(backend.chain.chaindb.db.wrapped_db.kv_store, saved)
    os.replace(file + ".new", file)
    for number in range(first, published + 1):
        for id, (connection, kind, filter) in list(subscriptions.items()):
            values = logs(number, number, filter) if kind == "logs" else [chain.get_block_by_number(number)]
            for value in values:
                params = {"subscription": id, "result": wire(value)}
                await connection.send(json.dumps({"jsonrpc": "2.0", "method": "eth_subscription", "params": params}))


async def serve(connection):
    exports = {name: exported(function) for name, function in methods.items()}
    try:
        async for message in connection:
            await connection.send(await async_dispatch(message, exports, context=connection))
            await publish()
    finally:
        for id in [id for id, entry in subscriptions.items() if entry[0] is connection]:
            del subscriptions[id]


async def main():
    chain.mine_blocks(missed_blocks)
    await publish()
    async with websockets.serve(serve, "127.0.0.1", port) as server:
        lifetime.announce(server.sockets[0].getsockname()[1])
        await asyncio.get_running_loop().create_future()


lifetime.end_with_parent()
asyncio.run(main())
