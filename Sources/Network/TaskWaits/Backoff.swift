// swift-jsonrpc · SPDX-License-Identifier: MIT

extension Duration {
    /// Returns the pause after failed attempts: a share of a limit that starts at `initial` and is multiplied by a
    /// factor for each failure. It is from zero to `maximum`, and at most 10⁹ seconds to avoid overflow.
    ///
    /// No argument causes a trap, although a `Duration` traps on overflow.
    ///
    /// - Parameters:
    ///   - failures: The number of failed attempts that increase the limit. With zero, the limit is `initial`.
    ///   - initial: The limit before it grows.
    ///   - multiplier: The factor. Values below 1, and NaN, count as 1. The default is 2.
    ///   - maximum: The maximum of the limit.
    ///   - share: The part of the limit, from 0 to 1. Other values count as the nearest bound, and NaN as 0.
    package static func backoff(
        after failures: Int, initial: Duration, multiplier: Double = 2, maximum: Duration, share: Double
    ) -> Duration {
        let longest = min(maximum, .seconds(1_000_000_000))
        guard initial > .zero, longest > .zero else { return .zero }
        // The growth is compared as a number, so that the product is only computed if it is below the maximum.
        let largestGrowth = longest / initial
        var growth = 1.0
        var remaining = failures
        while remaining > 0, growth < largestGrowth, multiplier > 1 {
            growth *= multiplier
            remaining -= 1
        }
        let limit = growth < largestGrowth ? initial * growth : longest
        return min(limit * (share > 0 ? min(share, 1) : 0), longest)
    }
}
