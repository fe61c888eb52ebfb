// swift-jsonrpc · SPDX-License-Identifier: MIT
//
// A JSON-RPC client for Node over the `ws` package, written as it is usually done: a map from ids to promises, an
// async worker per call in flight. Prints the line of `jsonrpc bench --json`.
//
//   node ws_client.mjs ws://HOST:PORT/PATH METHOD PARAMS CONCURRENCY COUNT [CONNECTIONS]
//
// With several connections, CONCURRENCY calls are in flight on each.

import { createRequire } from 'node:module';

const WebSocket = createRequire(import.meta.url)(process.env.WS_PACKAGE ?? '/usr/share/nodejs/ws');

class Client {
    #socket;
    #waiting = new Map();
    #lastID = 0;

    static open(url) {
        return new Promise((resolve, reject) => {
            const client = new Client();
            client.#socket = new WebSocket(url, { perMessageDeflate: false });
            client.#socket.on('open', () => resolve(client));
            client.#socket.on('error', reject);
            client.#socket.on('message', (data) => client.#settle(JSON.parse(data)));
            client.#socket.on('close', () => client.#fail(new Error('connection lost')));
        });
    }

    call(method, params) {
        const id = ++this.#lastID;
        return new Promise((resolve, reject) => {
            this.#waiting.set(id, { resolve, reject });
            this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
        });
    }

    close() { this.#socket.close(); }

    #settle(response) {
        const waiter = this.#waiting.get(response.id);
        if (!waiter) throw new Error(`unexpected message: ${JSON.stringify(response)}`);
        this.#waiting.delete(response.id);
        if ('error' in response) waiter.reject(response.error);
        else waiter.resolve(response.result);
    }

    #fail(error) {
        for (const { reject } of this.#waiting.values()) reject(error);
        this.#waiting.clear();
    }
}

const [url, method, paramsText, concurrencyText, countText, connectionsText = '1'] = process.argv.slice(2);
const concurrency = Number(concurrencyText), count = Number(countText);
if (!(concurrency > 0 && count > 0)) {
    console.error('usage: ws_client.mjs URL METHOD PARAMS CONCURRENCY COUNT');
    process.exit(2);
}
const params = JSON.parse(paramsText);
const clients = [];
for (let number = 0; number < Number(connectionsText); number += 1) clients.push(await Client.open(url));
const latency = new Float64Array(count);
let begun = 0, received = 0, errors = 0;

async function worker(number) {
    const client = clients[number % clients.length];
    while (begun < count) {
        begun += 1;
        const sentAt = process.hrtime.bigint();
        try {
            await client.call(method, params);
        } catch (error) {
            if (error instanceof Error) throw error;
            errors += 1;
        }
        latency[received++] = Number(process.hrtime.bigint() - sentAt) / 1000;
    }
}

const usedBefore = process.cpuUsage();
const startedAt = process.hrtime.bigint();
await Promise.all(Array.from({ length: Math.min(concurrency * clients.length, count) }, (_, number) => worker(number)));
const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
const used = process.cpuUsage(usedBefore);
for (const client of clients) client.close();
latency.sort();
const percentile = (share) => latency[Math.round(share * (count - 1))];
console.log(JSON.stringify({
    calls: received, errors, seconds, calls_per_second: received / seconds,
    processor_us_per_call: (used.user + used.system) / received,
    peak_rss_bytes: process.resourceUsage().maxRSS * 1024,
    latency_us: {
        p50: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99), p999: percentile(0.999), max: percentile(1),
    },
}));
