// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import ToolSupport

/// A pipe that wakes a thread which waits in `poll`.
final class WakePipe: Sendable {
    /// The read end, to wait on.
    let descriptor: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw UsageError("Could not create a pipe: \(SystemFailure.text(errno)).") }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        descriptor = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(descriptor)
        close(writeEnd)
    }

    /// Wakes the thread. It is thread-safe, and a full pipe wakes it as well.
    func raise() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    /// Forgets all wakes so far.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
