// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession

extension JSONRPCHTTPClient {
    /// Closes the client gracefully, with all clients that ``adding(headerFields:)`` has made of it.
    ///
    /// The client accepts no new calls, and sends calls that wait for others (``JSONRPCHTTPOptions/gathering``). Calls in
    /// flight have `SessionConfiguration.drainTimeout` to end, and are then ended as by ``closeNow()``. If the task is
    /// cancelled, the client does not wait for calls in flight. When the function returns, every call has ended, unless
    /// an interceptor or the transport ignores cancellation and the task is cancelled.
    ///
    /// The transport is not shut down, because it can have other users.
    public func close() async {
        poster.calls.beginClosing()
        scheduler?.flush()
        let (calls, clock) = (poster.calls, poster.clock)
        let deadline = clock.now.advanced(by: configuration.drainTimeout)
        _ = try? await clock.value(until: deadline) { await calls.end() }
        closeNow()
        await calls.end()
    }

    /// Closes the client immediately, and returns at once. New calls, and those that have not ended, fail with the code
    /// `closed`. A call that waits before another attempt fails with the error of its last one. The transport is not shut
    /// down.
    public func closeNow() { poster.close() }
}
