// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// The clock of the service threads' timers.
enum MonotonicClock {
    /// The number of nanoseconds since an instant in the past.
    static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
