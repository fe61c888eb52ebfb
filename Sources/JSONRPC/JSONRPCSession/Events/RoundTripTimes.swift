// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The distribution of round-trip times.
///
/// Times are counted in buckets: exact below 16 µs, and with 8 buckets for each doubling above. So a percentile differs
/// from the exact value by at most 6.25 %, or 0.5 µs below 16 µs. Times above 134 seconds are counted in the last
/// bucket. The minimum, the maximum and the mean are exact. A value takes less than 1 KiB, and nothing before the first
/// time.
public struct RoundTripTimes: Sendable, Hashable {
    /// The number of round trips.
    public private(set) var count = 0
    /// The shortest time; `nil` if there is none.
    public private(set) var minimum: Duration?
    /// The longest time; `nil` if there is none.
    public private(set) var maximum: Duration?
    /// The latest time; `nil` if there is none.
    public private(set) var latest: Duration?
    private var sum = Duration.zero
    /// The number of times in each bucket; empty before the first time.
    private var buckets: [UInt32] = []

    public init() {}

    /// The mean; `nil` if there is none.
    public var mean: Duration? { count == 0 ? nil : sum / count }

    /// Adds a time. A negative time counts as zero.
    public mutating func add(_ time: Duration) {
        let time = max(time, .zero)
        if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.bucketCount) }
        let (bucket, overflow) = buckets[Self.bucket(of: time)].addingReportingOverflow(1)
        if !overflow { buckets[Self.bucket(of: time)] = bucket }
        count += 1
        // This is far more than a session measures. Without the limit, absurd times could overflow the sum.
        sum += min(time, .seconds(1 << 31))
        minimum = min(minimum ?? time, time)
        maximum = max(maximum ?? time, time)
        latest = time
    }

    /// Returns a percentile of the times; `nil` if there is none.
    ///
    /// - Parameter percent: From 0 to 100. Values outside are clamped. For example, 50 gives the median.
    public func percentile(_ percent: Double) -> Duration? {
        guard let minimum, let maximum else { return nil }
        let part = percent.isNaN ? 0 : min(max(percent, 0), 100) / 100
        let rank = max(1, (part * Double(count)).rounded(.up))
        var seen = 0.0
        for (index, number) in buckets.enumerated() {
            seen += Double(number)
            guard seen >= rank else { continue }
            if index == Self.bucketCount - 1 { return maximum }
            return min(max(Self.middle(of: index), minimum), maximum)
        }
        return maximum
    }

    // MARK: Buckets

    /// Times below 2 to this power, in microseconds, have buckets of 1 µs.
    private static let exactBits = 4
    /// The buckets for each doubling are 2 to this power.
    private static let divisionBits = 3
    /// Times from 2 to this power on, in microseconds, share the last bucket.
    private static let limitBits = 27
    private static let bucketCount = (1 << exactBits) + ((limitBits - exactBits) << divisionBits) + 1

    private static func bucket(of time: Duration) -> Int {
        guard time < .microseconds(1 << limitBits) else { return bucketCount - 1 }
        let (seconds, attoseconds) = time.components
        let microseconds = Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
        guard microseconds >= 1 << exactBits else { return microseconds }
        let power = Int.bitWidth - 1 - microseconds.leadingZeroBitCount
        let division = (microseconds >> (power - divisionBits)) - (1 << divisionBits)
        return (1 << exactBits) + ((power - exactBits) << divisionBits) + division
    }

    private static func middle(of bucket: Int) -> Duration {
        guard bucket >= 1 << exactBits else { return .nanoseconds(bucket * 1000 + 500) }
        let place = bucket - (1 << exactBits)
        let power = exactBits + (place >> divisionBits)
        let width = 1 << (power - divisionBits)
        let start = (1 << power) + (place & ((1 << divisionBits) - 1)) * width
        return .nanoseconds(start * 1000 + width * 500)
    }
}

extension RoundTripTimes: CustomStringConvertible {
    public var description: String {
        guard let minimum, let maximum, let mean, let median = percentile(50), let high = percentile(99) else {
            return "no round trips"
        }
        return "\(count) round trips: min \(minimum), mean \(mean), median \(median), p99 \(high), max \(maximum)"
    }
}
