// swift-jsonrpc · SPDX-License-Identifier: MIT
//
// A consumer of notifications for Node over the `ws` package: parses each message, and checks its number. Prints the
// line of `stream-probe stream`.
//
//   node ws_consumer.mjs ws://HOST:PORT/ COUNT

import { createRequire } from 'node:module';

const WebSocket = createRequire(import.meta.url)(process.env.WS_PACKAGE ?? '/usr/share/nodejs/ws');
const [url, countText] = process.argv.slice(2);
const measured = Number(countText);
if (!(measured > 0)) {
    console.error('usage: ws_consumer.mjs URL COUNT');
    process.exit(2);
}

const socket = new WebSocket(url, { perMessageDeflate: false });
let onMessage;
socket.on('message', (data) => onMessage(JSON.parse(data)));
socket.on('error', (error) => { console.error(error); process.exit(1); });
await new Promise((resolve) => socket.on('open', resolve));

async function flood(count) {
    let next = 0;
    const start = process.hrtime.bigint(), used = process.cpuUsage();
    const ended = new Promise((resolve, reject) => {
        let end;
        onMessage = (message) => {
            if (message.method === 'tick') {
                if (message.params.result !== next) reject(new Error(`${message.params.result} came, not ${next}`));
                next += 1;
                if (next === count) {
                    const { user, system } = process.cpuUsage(used);
                    end = { seconds: Number(process.hrtime.bigint() - start) / 1e9, processor: user + system };
                }
            } else if (end) {
                resolve(end);  // The response to the request for the flood.
            } else {
                reject(new Error(`unexpected: ${JSON.stringify(message)}`));
            }
        };
    });
    const params = { subscriptions: [0], count, rate: 0 };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'flood', params }));
    return ended;
}

await flood(Math.ceil(measured / 10));
const { seconds, processor } = await flood(measured);
console.log(JSON.stringify({
    notifications: measured, seconds, notifications_per_second: measured / seconds,
    processor_us_per_notification: processor / measured,
}));
socket.close();
