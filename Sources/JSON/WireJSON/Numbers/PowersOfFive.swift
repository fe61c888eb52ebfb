// swift-jsonrpc · SPDX-License-Identifier: MIT

/// 5^q for q from -342 to 308, each as its 128 most significant bits.
///
/// The bits are truncated, except that those for q from -27 to -1 are rounded up. Daniel Lemire, "Number Parsing at a
/// Gigabyte per Second" (2021), section 5, shows that 128 bits are then sufficient.
enum PowersOfFive {
    static let smallest = -342
    static let largest = 308

    /// The powers in ascending order. They are computed when the first number needs one. Its digits, as an integer, are
    /// above 2^53, or its exponent is beyond ±22.
    static let all = computed()

    private static func computed() -> [(upper: UInt64, lower: UInt64)] {
        var powers: [(upper: UInt64, lower: UInt64)] = []
        // A number of 31 words of 32 bits, the highest first. It starts as 2^960 and is divided by five again and
        // again. Then it starts as 1 and is multiplied.
        var words = [1] + Array(repeating: UInt64(0), count: 30)
        for exponent in stride(from: -1, through: smallest, by: -1) {
            var remainder: UInt64 = 0
            for index in words.indices {
                let part = remainder << 32 | words[index]
                (words[index], remainder) = part.quotientAndRemainder(dividingBy: 5)
            }
            let (upper, lower) = leadingBits(of: words)
            powers.append((upper, exponent < -27 ? lower : lower + 1))
        }
        powers.reverse()
        words = Array(repeating: 0, count: 30) + [1]
        for _ in 0...largest {
            powers.append(leadingBits(of: words))
            var carry: UInt64 = 0
            for index in words.indices.reversed() {
                let product = words[index] * 5 + carry
                (words[index], carry) = (product & 0xFFFF_FFFF, product >> 32)
            }
        }
        return powers
    }

    /// Returns 128 bits, beginning with the highest bit that is set.
    private static func leadingBits(of words: [UInt64]) -> (upper: UInt64, lower: UInt64) {
        let bits = Array(words.drop { $0 == 0 } + Array(repeating: 0, count: 5))
        let shift = bits[0].leadingZeroBitCount - 32
        let carries = [2, 4].map { (bits[$0] << shift) >> 32 }
        return ((bits[0] << 32 | bits[1]) << shift | carries[0], (bits[2] << 32 | bits[3]) << shift | carries[1])
    }
}
