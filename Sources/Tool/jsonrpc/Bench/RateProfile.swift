// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The rate of an open loop over time: constant, or rising or falling evenly.
struct RateProfile: Equatable, Sendable {
    /// The highest rate that can be asked for, in calls per second.
    static let maximum = 1_000_000.0

    /// The rate at the start, in calls per second.
    var start: Double
    /// The rate at the end of the ramp, in calls per second.
    var end: Double
    /// The length of the ramp in seconds. A constant rate does not use it.
    var rampSeconds = 0.0

    init(_ rate: Double) { (start, end) = (rate, rate) }

    /// Reads the value of `--rate`: a number of calls per second, or two with `..` between them for a ramp.
    init(parsing text: String) throws {
        let text = CommandLineWords.unmarked(text)
        let rates = try text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
            .map { try Self.number(String($0), in: text) }
        (start, end) = (rates[0], rates[rates.count - 1])
    }

    var isRamp: Bool { start != end }

    /// The text for reports: `100`, `100..5000`.
    var text: String { isRamp ? "\(Self.text(start))..\(Self.text(end))" : Self.text(start) }

    private static func text(_ rate: Double) -> String {
        rate == rate.rounded() ? DecimalText.fixed(rate, digits: 0) : "\(rate)"
    }

    private static func number(_ digits: String, in text: String) throws -> Double {
        // `Double` alone would accept "nan", "inf", "1e9" and "0x1p3".
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            digits.first != ".", digits.last != ".", let rate = Double(digits), rate > 0, rate <= maximum
        else {
            throw UsageError(
                "--rate must be a number of calls per second above 0 and at most 1000000, or two for a ramp "
                    + "(100..5000), not \(TerminalText.line(text)).")
        }
        return rate
    }

    private var slope: Double { rampSeconds > 0 ? (end - start) / rampSeconds : 0 }

    /// Returns the intended start of a call, in nanoseconds after the start of the run. The first call has index 0.
    func nanoseconds(ofCall index: UInt64) -> UInt64 {
        let count = Double(index)
        // The number of calls until t is start·t + slope·t²/2. This is its inverse, in the form that also holds for a
        // slope of 0.
        let root = max(0, start * start + 2 * slope * count).squareRoot()
        return UInt64(max(0, min(9e18, 2 * count / (start + root) * 1e9)))
    }

    /// Returns the number of calls whose intended start is before this time, in seconds after the start of the run.
    func calls(before seconds: Double) -> UInt64 {
        let count = start * seconds + slope * seconds * seconds / 2
        // A product such as 100 · 0.07 is slightly above the whole number it stands for.
        return UInt64(max(1, min(9e18, (count - 1e-6).rounded(.up))))
    }
}
