// swift-jsonrpc · SPDX-License-Identifier: MIT

extension Duration {
    /// Returns the pause after attempt n: a part of the upper bound `base` · 2ⁿ⁻¹, which is at most `maximum`.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts so far. The first is 1.
    ///   - fraction: The part, from 0 to 1. Other values count as the nearest bound.
    package static func backoff(
        after attempts: Int, base: Duration, maximum: Duration, fraction: Double
    ) -> Duration {
        let factor = Int64(1) << Int64(min(max(attempts - 1, 0), 30))
        // The division keeps the product below `maximum`, however large `base` is.
        let bound = base > maximum / factor ? maximum : base * factor
        return max(.zero, bound * min(max(fraction, 0), 1))
    }
}
