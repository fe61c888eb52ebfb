// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

/// A client copies `isRetryable` of the `WebSocketError` into the `ClientError` of a failed connect.
extension WebSocketError: ConnectError {}
