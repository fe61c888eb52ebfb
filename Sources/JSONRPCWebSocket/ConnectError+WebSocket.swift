// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

/// `ClientError.isRetryable` of a failed connect is that of the `WebSocketError`.
extension WebSocketError: ConnectError {}
