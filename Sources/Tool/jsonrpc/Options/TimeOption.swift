// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import ToolSupport

/// A duration on the command line: seconds (`5`, `0.25`), or a number with a unit (`250ms`, `5s`, `2m`, `1h`).
///
/// The resolution is one nanosecond. A shorter duration that is not zero becomes one nanosecond.
struct TimeOption: Equatable, Sendable, ExpressibleByArgument {
    var duration: Duration

    init(duration: Duration) { self.duration = duration }

    init?(argument: String) {
        var digits = argument[...]
        var scale = 1.0
        for (unit, seconds) in [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)] where argument.hasSuffix(unit) {
            digits = argument.dropLast(unit.count)
            scale = seconds
            break
        }
        // `Double` alone would accept "nan", "1e9" and "0x1p3".
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let number = Double(digits), number * scale <= 1e9
        else { return nil }
        // Only digits that are all zero make zero, because zero can mean "no limit".
        let isZero = digits.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
        duration = .nanoseconds(max(isZero ? 0 : 1, Int64((number * scale * 1e9).rounded())))
    }

    /// The duration in seconds without trailing zeros: `60`, `0.25`.
    var defaultValueDescription: String { DecimalText.short(duration.inSeconds) }
}

/// A time limit on the command line: a duration, or `none` for no limit. Zero means no limit as well, as in curl.
struct TimeLimitOption: Equatable, Sendable, ExpressibleByArgument {
    /// The limit; `nil` for no limit.
    var duration: Duration?

    init(duration: Duration?) { self.duration = duration }

    init?(argument: String) {
        if argument == "none" {
            duration = nil
        } else if let time = TimeOption(argument: argument) {
            duration = time.duration == .zero ? nil : time.duration
        } else {
            return nil
        }
    }

    var defaultValueDescription: String {
        duration.map { TimeOption(duration: $0).defaultValueDescription } ?? "none"
    }
}
