// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

/// Checks of the values of options, with the same words for the same faults.
enum OptionChecks {
    /// Checks that a number, if it is given, lies in a range. A range up to `Int.max` has no upper limit.
    static func range(_ option: String, _ value: Int?, _ range: ClosedRange<Int>) throws {
        guard let value, !range.contains(value) else { return }
        let limits =
            range.upperBound == .max
            ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        throw ValidationError("\(option) must be \(limits), not \(value).")
    }

    /// Checks that a certificate and its key are given together.
    static func identity(cert: String?, key: String?) throws {
        if cert == nil, key != nil { throw ValidationError("--key needs --cert, which is missing.") }
        if cert != nil, key == nil { throw ValidationError("--cert needs --key, which is missing.") }
    }
}
