// swift-jsonrpc · SPDX-License-Identifier: MIT

@_exported public import JSONRPCSession
@_exported public import LWSWebSocket
@_exported public import WebSocket

package let packageVersion = "0.1.0"
