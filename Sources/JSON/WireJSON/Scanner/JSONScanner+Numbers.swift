// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONScanner {
    /// Reads a number (RFC 8259 §6). The caller validates the bytes after it. The position must be below ``end``.
    ///
    /// - Returns: Whether it is written as an integer, without fraction or exponent.
    @inlinable @inline(__always)
    package mutating func scanNumber() throws(ScanFault) -> Bool {
        let start = position
        var index = position
        if unsafe bytes[index] == UInt8(ascii: "-") { index &+= 1 }
        guard index < end else { throw ScanFault(.unexpectedEnd, at: end) }
        if unsafe bytes[index] == UInt8(ascii: "0") {
            index &+= 1
            if index < end, isDigit(unsafe bytes[index]) { throw ScanFault(.invalidNumber, at: start) }
        } else {
            index = try endOfDigits(at: index, of: start)
        }
        position = index
        guard index < end else { return true }
        let next = unsafe bytes[index]
        if next != UInt8(ascii: "."), next | 0x20 != UInt8(ascii: "e") { return true }
        position = try endOfFractionAndExponent(at: index, of: start)
        return false
    }

    @usableFromInline
    func endOfFractionAndExponent(at first: Int, of start: Int) throws(ScanFault) -> Int {
        var index = first
        if index < end, unsafe bytes[index] == UInt8(ascii: ".") {
            index = try endOfDigits(at: index + 1, of: start)
        }
        if index < end, unsafe bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < end, unsafe bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            index = try endOfDigits(at: index, of: start)
        }
        return index
    }

    @inlinable @inline(__always)
    func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    @inlinable @inline(__always)
    func endOfDigits(at first: Int, of start: Int) throws(ScanFault) -> Int {
        guard first < end else { throw ScanFault(.unexpectedEnd, at: end) }
        guard isDigit(unsafe bytes[first]) else { throw ScanFault(.invalidNumber, at: start) }
        var index = first &+ 1
        while index < end, isDigit(unsafe bytes[index]) { index &+= 1 }
        return index
    }
}

enum IntegerText {
    /// Returns the value of digits with an optional minus sign. It is `nil` if `T` cannot represent the value, or if it
    /// is `-0`, because an integer would lose the sign. The bytes must be an integer of RFC 8259 §6.
    @inline(__always)
    @unsafe static func value<T: FixedWidthInteger>(
        _ bytes: UnsafePointer<UInt8>, _ range: Range<Int>, as type: T.Type = T.self
    ) -> T? {
        var index = range.lowerBound
        let isNegative = unsafe bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var value: T = 0
        // 18 digits of a 64-bit integer cannot overflow.
        if T.bitWidth == 64, range.upperBound - index <= 18 {
            while index < range.upperBound {
                value = value &* 10 &+ T(truncatingIfNeeded: unsafe bytes[index] &- UInt8(ascii: "0"))
                index += 1
            }
            if isNegative {
                guard T.isSigned, value != 0 else { return nil }
                return 0 &- value
            }
            return value
        }
        while index < range.upperBound {
            let digit = T(truncatingIfNeeded: unsafe bytes[index] &- UInt8(ascii: "0"))
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            value = sum
            index += 1
        }
        return isNegative && value == 0 ? nil : value
    }
}
