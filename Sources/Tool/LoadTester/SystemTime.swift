// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

package enum SystemTime {
    package static var secondsSince1970: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns a time in UTC, to the second: `2026-11-25 02:09:00 UTC`.
    package static func text(_ secondsSince1970: Double) -> String {
        var (seconds, parts) = (time_t(max(0, min(1e11, secondsSince1970))), tm())
        gmtime_r(&seconds, &parts)
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) UTC"
    }
}
