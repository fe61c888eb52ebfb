// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

/// A span of time on the command line: seconds as curl takes them (`5`, `0.25`), or with a unit (`250ms`, `5s`, `2m`,
/// `1h`).
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
        // `Double` takes "nan", "1e9" and "0x1p3" too.
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let number = Double(digits), number * scale <= 1e9
        else { return nil }
        duration = .milliseconds(Int64((number * scale * 1000).rounded()))
    }

    var defaultValueDescription: String { "\(duration)" }
}

/// A span of time, or `none` for no limit. Zero means none too, as with curl.
struct TimeLimitOption: Equatable, Sendable, ExpressibleByArgument {
    /// Nil for no limit.
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
}
