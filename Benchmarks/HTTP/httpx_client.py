# swift-jsonrpc · SPDX-License-Identifier: MIT
"""The exchanges of http-probe with httpx: httpx_client.py WAY URL CONCURRENCY COUNT"""

import asyncio
import itertools
import json
import sys
import time

import httpx

ORDER = {"symbol": "SWFT", "quantity": 100, "price": 187.25, "isBuy": True}


class Exchanges:
    def __init__(self, client, url):
        self.client = client
        self.url = url
        self.ids = itertools.count(1)

    async def get(self):
        response = await self.client.get(f"{self.url}/repos/swift/nio", headers={"Accept": "application/json"})
        assert response.raise_for_status().json()["id"] == 3141592

    async def post(self):
        response = await self.client.post(f"{self.url}/echo", json=ORDER, headers={"Accept": "application/json"})
        assert response.raise_for_status().json() == ORDER

    async def call(self):
        number = next(self.ids)
        request = {"jsonrpc": "2.0", "id": number, "method": "echo", "params": ORDER}
        response = await self.client.post(f"{self.url}/rpc", json=request, headers={"Accept": "application/json"})
        answer = response.raise_for_status().json()
        assert answer["id"] == number and answer["result"] == ORDER


async def run(exchange, concurrency, total):
    latencies = []
    begun = itertools.count(1)

    async def work():
        while next(begun) <= total:
            sent = time.perf_counter()
            await exchange()
            latencies.append((time.perf_counter() - sent) * 1e6)

    await asyncio.gather(*(work() for _ in range(concurrency)))
    return sorted(latencies)


async def main():
    way, url, concurrency, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    limits = httpx.Limits(max_connections=8, max_keepalive_connections=8)
    async with httpx.AsyncClient(limits=limits, timeout=60) as client:
        exchange = getattr(Exchanges(client, url), way)
        await run(exchange, concurrency, 2 * concurrency)
        used_before, start = time.process_time(), time.perf_counter()
        latencies = await run(exchange, concurrency, count)
        seconds, used = time.perf_counter() - start, time.process_time() - used_before
    print(json.dumps({
        "calls": len(latencies), "calls_per_second": len(latencies) / seconds,
        "processor_us_per_call": used * 1e6 / len(latencies), "p50_us": latencies[len(latencies) // 2],
    }))


asyncio.run(main())
