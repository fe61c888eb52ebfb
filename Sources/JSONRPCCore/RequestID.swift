// swift-jsonrpc · SPDX-License-Identifier: MIT

/// What ties a response to its request (JSON-RPC 2.0 §4, `id`).
///
/// `1` and `"1"` are different ids. `null` is not an id of a request: it occurs only in error responses.
public enum RequestID: Sendable, Hashable {
    case number(Int64)
    case string(String)
}
