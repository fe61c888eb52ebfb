// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

extension EmbeddedServer {
    static let description = #"""
        {
          "openrpc": "1.3.2",
          "info": {"title": "Embedded server", "version": "1.0.0", "description": "For tests and experiments."},
          "methods": [
            {
              "name": "add", "summary": "Returns the sum of the params.",
              "paramStructure": "by-position",
              "params": [
                {"name": "first", "required": true, "schema": {"type": "number"}},
                {"name": "second", "schema": {"type": "number"}}
              ],
              "result": {"name": "sum", "schema": {"type": "number"}}
            },
            {
              "name": "subtract", "summary": "Returns the minuend minus the subtrahend.",
              "params": [
                {"name": "minuend", "required": true, "schema": {"type": "number"}},
                {"name": "subtrahend", "required": true, "schema": {"type": "number"}}
              ],
              "result": {"name": "difference", "schema": {"type": "number"}}
            },
            {
              "name": "sleep", "summary": "Answers after the given time.",
              "params": [{"name": "seconds", "required": true, "schema": {"type": "number"}}],
              "result": {"name": "seconds", "schema": {"type": "number"}}
            },
            {
              "name": "fail", "summary": "Answers with the given error object.",
              "params": [
                {"name": "code", "schema": {"type": "integer"}},
                {"name": "message", "schema": {"type": "string"}},
                {"name": "data", "schema": true}
              ],
              "result": {"name": "nothing", "schema": {"type": "null"}},
              "errors": [{"code": -32000, "message": "Failed as requested."}]
            },
            {
              "name": "tick.subscribe", "summary": "Starts tick notifications and returns the id of the subscription.",
              "params": [
                {"name": "interval", "summary": "Seconds between ticks. Default: 1.", "schema": {"type": "number"}},
                {"name": "count", "summary": "Number of ticks. Default: no limit.", "schema": {"type": "integer"}}
              ],
              "result": {"name": "subscription", "schema": {"type": "integer"}}
            },
            {
              "name": "tick.unsubscribe", "summary": "Ends a subscription. Returns false if it does not exist.",
              "params": [{"name": "subscription", "required": true, "schema": {"type": "integer"}}],
              "result": {"name": "wasThere", "schema": {"type": "boolean"}}
            },
            {
              "name": "callback", "summary": "Calls the client and returns its result.",
              "params": [
                {"name": "method", "required": true, "schema": {"type": "string"}},
                {"name": "params", "schema": true}
              ],
              "result": {"name": "answer", "schema": true}
            },
            {
              "name": "echo", "summary": "Returns the params unchanged.", "params": [],
              "result": {"name": "params", "schema": true}
            }
          ]
        }
        """#
}
