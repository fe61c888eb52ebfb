// swift-jsonrpc · SPDX-License-Identifier: MIT
//
// A JSON-RPC server for Node over the `ws` package, written as it is usually done: each message is answered by a
// message of its own, each array by an array. Answers with the params, and prints the port on which it listens.

import { createRequire } from 'node:module';

const { WebSocketServer } = createRequire(import.meta.url)(process.env.WS_PACKAGE ?? '/usr/share/nodejs/ws');

const answer = ({ id, params }) => ({ jsonrpc: '2.0', id, result: params ?? null });

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('listening', () => console.log(server.address().port));
server.on('connection', (socket) => {
    socket.on('message', (data) => {
        const message = JSON.parse(data);
        socket.send(JSON.stringify(Array.isArray(message) ? message.map(answer) : answer(message)));
    });
});
