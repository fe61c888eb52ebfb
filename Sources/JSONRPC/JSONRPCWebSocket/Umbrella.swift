// swift-jsonrpc · SPDX-License-Identifier: MIT

@_exported public import JSONRPCSession
@_exported public import WebSocket
