// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

extension EmbeddedServer {
    /// What `rpc.discover` answers: the server's OpenRPC document.
    static let description = #"""
        {
          "openrpc": "1.3.2",
          "info": {"title": "Embedded server", "version": "1.0.0", "description": "To try things against."},
          "methods": [
            {
              "name": "add", "summary": "The sum of the params, which are numbers.",
              "paramStructure": "by-position",
              "params": [
                {"name": "first", "required": true, "schema": {"type": "number"}},
                {"name": "second", "schema": {"type": "number"}}
              ],
              "result": {"name": "sum", "schema": {"type": "number"}}
            },
            {
              "name": "subtract", "summary": "The minuend less the subtrahend.",
              "params": [
                {"name": "minuend", "required": true, "schema": {"type": "number"}},
                {"name": "subtrahend", "required": true, "schema": {"type": "number"}}
              ],
              "result": {"name": "difference", "schema": {"type": "number"}}
            },
            {
              "name": "sleep", "summary": "Answers late.",
              "params": [{"name": "seconds", "required": true, "schema": {"type": "number"}}],
              "result": {"name": "seconds", "schema": {"type": "number"}}
            },
            {
              "name": "fail", "summary": "Answers with an error object.",
              "params": [
                {"name": "code", "schema": {"type": "integer"}},
                {"name": "message", "schema": {"type": "string"}},
                {"name": "data", "schema": true}
              ],
              "result": {"name": "nothing", "schema": {"type": "null"}},
              "errors": [{"code": -32000, "message": "Failed, as asked."}]
            },
            {
              "name": "tick.subscribe", "summary": "Begins notifications named tick; the result is the subscription.",
              "params": [
                {"name": "interval", "summary": "In seconds; 1 unless given.", "schema": {"type": "number"}},
                {"name": "count", "summary": "How many; without end unless given.", "schema": {"type": "integer"}}
              ],
              "result": {"name": "subscription", "schema": {"type": "integer"}}
            },
            {
              "name": "tick.unsubscribe", "summary": "Ends them. False when there was no such subscription.",
              "params": [{"name": "subscription", "required": true, "schema": {"type": "integer"}}],
              "result": {"name": "wasThere", "schema": {"type": "boolean"}}
            },
            {
              "name": "callback", "summary": "Calls the client, and answers with its answer.",
              "params": [
                {"name": "method", "required": true, "schema": {"type": "string"}},
                {"name": "params", "schema": true}
              ],
              "result": {"name": "answer", "schema": true}
            },
            {
              "name": "echo", "summary": "The params, unchanged: any at all.", "params": [],
              "result": {"name": "params", "schema": true}
            }
          ]
        }
        """#
}
