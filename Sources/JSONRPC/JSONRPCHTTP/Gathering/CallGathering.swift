// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The rules by which single calls that are made close together share a POST.
///
/// The first call opens a window. Calls wait until the window ends or a limit is reached. Calls with different header
/// fields, timeouts or task priorities are in different POSTs. Batches and notifications do not wait.
///
/// A cancelled call ends at once, and the other calls of its POST go on. The POST is cancelled when all its calls were
/// cancelled. The time in the window counts for the timeout.
///
/// A call has its result as soon as its part of the answer has arrived, but most servers answer a batch when its slowest
/// call has ended. Over HTTP/2, where many POSTs share a connection, ``JSONRPCHTTPOptions/batchConcurrency`` can be faster.
public struct CallGathering: Sendable {
    /// The time that the first call waits for others. The default is zero: it waits for one turn of the executor, and
    /// no timer is used.
    public var window = Duration.zero
    /// The maximum number of calls in one POST. The default is 100. Values below 1 are raised to 1.
    public var maximumMembers = 100
    /// The maximum number of bytes of one POST. A larger call is sent alone. The default is 1 MiB.
    public var maximumBytes = 1 << 20
    /// Returns whether calls of a method are sent alone and at once. The default returns `false`.
    public var sendsAlone: @Sendable (_ method: String) -> Bool = { _ in false }

    /// Makes rules.
    public init(window: Duration = .zero, maximumMembers: Int = 100, maximumBytes: Int = 1 << 20) {
        self.window = window
        self.maximumMembers = maximumMembers
        self.maximumBytes = maximumBytes
    }
}
