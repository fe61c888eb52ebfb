// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Converts decimal text to doubles, correctly rounded.
enum DoubleText {
    /// Returns the nearest `Double`, or infinity if the number is too large. The bytes must be a number of RFC 8259 §6.
    ///
    /// For up to 19 digits, it uses one exact multiplication or division if that is known to round only once, and
    /// otherwise the method of Eisel and Lemire. If these do not decide the result, the standard library does.
    static func value(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> Double {
        let decimal = unsafe ShortDecimal(bytes, range)
        let magnitude: Double? =
            if decimal.isTruncated {
                agreement(decimal)
            } else {
                exact(decimal.digits, decimal.exponent) ?? nearest(decimal.digits, decimal.exponent)
            }
        guard let magnitude else { return unsafe standardValue(bytes, range) }
        return decimal.isNegative ? -magnitude : magnitude
    }

    @inline(never)
    private static func standardValue(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> Double {
        let text = unsafe UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
        return unsafe Double(String(decoding: text, as: UTF8.self)) ?? .nan
    }

    /// Computes the result if both factors are exact in a `Double`, so that only the result is rounded.
    @inline(__always)
    private static func exact(_ digits: UInt64, _ exponent: Int) -> Double? {
        guard digits <= 1 << 53, exponent >= -22, exponent <= 22 else { return nil }
        let value = Double(digits)
        return exponent < 0 ? value / power(-exponent) : value * power(exponent)
    }

    @inline(__always)
    private static func power(_ exponent: Int) -> Double {
        unsafe powers.withUnsafeBufferPointer { unsafe $0[exponent] }
    }

    /// Returns ten to a power from 0 to 15, without access to a global variable.
    @inline(__always)
    static func smallPower(_ exponent: Int) -> Double {
        switch exponent {
        case 0: 1
        case 1: 1e1
        case 2: 1e2
        case 3: 1e3
        case 4: 1e4
        case 5: 1e5
        case 6: 1e6
        case 7: 1e7
        case 8: 1e8
        case 9: 1e9
        case 10: 1e10
        case 11: 1e11
        case 12: 1e12
        case 13: 1e13
        case 14: 1e14
        default: 1e15
        }
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// If there are more than 19 digits, the value lies between the first 19 digits and these plus one. If both give
    /// the same `Double`, that is the result.
    private static func agreement(_ decimal: ShortDecimal) -> Double? {
        guard let low = nearest(decimal.digits, decimal.exponent),
            let high = nearest(decimal.digits + 1, decimal.exponent), low == high
        else { return nil }
        return low
    }

    /// Returns the `Double` nearest to digits times ten to a power. It is `nil` if 128 bits of the power do not decide
    /// it, and for subnormal and infinite results.
    private static func nearest(_ digits: UInt64, _ exponent: Int) -> Double? {
        if digits == 0 { return 0 }
        guard exponent >= PowersOfFive.smallest, exponent <= PowersOfFive.largest else { return nil }
        let leading = digits.leadingZeroBitCount
        let scaled = digits << UInt64(leading)
        let index = exponent - PowersOfFive.smallest
        let power = unsafe PowersOfFive.all.withUnsafeBufferPointer { unsafe $0[index] }
        var (high, low) = scaled.multipliedFullWidth(by: power.upper)
        if high & 0x1FF == 0x1FF {
            let correction = scaled.multipliedFullWidth(by: power.lower).high
            let (sum, carry) = low.addingReportingOverflow(correction)
            low = sum
            if carry { high += 1 }
        }
        if low == .max, exponent < -27 || exponent > 55 { return nil }
        let upper = Int(high >> 63)
        var mantissa = high >> UInt64(upper + 9)
        // The floor of the power's binary logarithm.
        var binary = (217_706 * exponent) >> 16 + 63 + upper - leading + 1023
        guard binary > 0 else { return nil }
        // Exactly half-way: round down to the even neighbour.
        if low <= 1, exponent >= -4, exponent <= 23, mantissa & 3 == 1, mantissa << UInt64(upper + 9) == high {
            mantissa &= ~1
        }
        mantissa = (mantissa + (mantissa & 1)) >> 1
        if mantissa >= 1 << 53 {
            mantissa = 1 << 52
            binary += 1
        }
        guard binary < 0x7FF else { return nil }
        return Double(bitPattern: UInt64(binary) << 52 | mantissa & ~(1 << 52))
    }
}

/// A number's sign, its first 19 significant digits as an integer, and their power of ten.
struct ShortDecimal {
    var isNegative = false
    var digits: UInt64 = 0
    var exponent = 0
    /// Whether there are more digits that are not all zero.
    var isTruncated = false

    @inline(__always)
    init(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) {
        var index = range.lowerBound
        if unsafe bytes[index] == UInt8(ascii: "-") {
            isNegative = true
            index += 1
        }
        var significant = 0
        // The start of the fraction, if there is one.
        var fraction = range.upperBound
        while index < range.upperBound {
            let digit = unsafe bytes[index] &- UInt8(ascii: "0")
            if digit < 10 {
                if significant < 19 {
                    digits = digits &* 10 &+ UInt64(digit)
                    if digits != 0 { significant &+= 1 }
                } else {
                    if digit != 0 { isTruncated = true }
                    exponent &+= 1
                }
            } else if unsafe bytes[index] == UInt8(ascii: ".") {
                fraction = index &+ 1
            } else {
                break
            }
            index &+= 1
        }
        exponent &-= max(0, index &- fraction)
        if index < range.upperBound {
            index += 1
            exponent += unsafe Self.power(UnsafeBufferPointer(start: bytes + index, count: range.upperBound - index))
        }
    }

    /// Whether two decimals have the same magnitude. Neither may be truncated.
    func isSameMagnitude(as other: ShortDecimal) -> Bool {
        let (left, right) = (normalized, other.normalized)
        return left.digits == right.digits && (left.exponent == right.exponent || left.digits == 0)
    }

    /// The decimal without zeros at the end.
    private var normalized: (digits: UInt64, exponent: Int) {
        var (digits, exponent) = (digits, exponent)
        while digits > 0, digits % 10 == 0 {
            digits /= 10
            exponent += 1
        }
        return (digits, exponent)
    }

    /// The exponent after the `e` of a number. Its magnitude is limited to a hundred quadrillion.
    static func power(_ digits: some Sequence<UInt8>) -> Int {
        var isNegative = false
        var power = 0
        for byte in digits {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "+"): break
            default: power = min(power * 10 + Int(byte &- UInt8(ascii: "0")), 100_000_000_000_000_000)
            }
        }
        return isNegative ? -power : power
    }
}
