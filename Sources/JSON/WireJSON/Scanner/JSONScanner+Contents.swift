// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONScanner {
    /// Returns the bytes of a range. It traps if the range is not within the text, which only a fault in this module
    /// could cause. The memory must outlive the result.
    @inline(__always)
    @unsafe func utf8(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        precondition(range.lowerBound >= 0 && range.upperBound <= end)
        return unsafe UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
    }

    @inline(__always)
    func string(_ content: ScannedString) throws(ScanFault) -> String {
        precondition(content.range.lowerBound >= 0 && content.range.upperBound <= end)
        return try unsafe StringContent.string(bytes, content)
    }

    /// Returns whether a member has a name.
    func isName(_ content: ScannedString, _ name: StaticString) -> Bool {
        if content.isEscaped { return (try? string(content)) == "\(name)" }
        guard content.range.count == name.utf8CodeUnitCount else { return false }
        let text = unsafe utf8(content.range)
        return name.withUTF8Buffer { unsafe $0.elementsEqual(text) }
    }

    /// Returns a part of the text as it is.
    func text(_ range: Range<Int>) -> String { unsafe String(decoding: utf8(range), as: UTF8.self) }

    /// Returns an integer's value, or `nil` if `Int64` does not hold it, or if it is `-0`.
    package func integer(in range: Range<Int>) -> Int64? { integer(range, as: Int64.self) }

    /// Returns an integer's value, or `nil` if the type does not hold it, or if it is `-0`.
    @inline(__always)
    func integer<T: FixedWidthInteger>(_ range: Range<Int>, as type: T.Type) -> T? {
        precondition(range.lowerBound >= 0 && range.upperBound <= end)
        return unsafe IntegerText.value(bytes, range, as: type)
    }

    /// Returns the `Double` nearest to a number.
    @inline(__always)
    func double(_ range: Range<Int>) -> Double {
        precondition(range.lowerBound >= 0 && range.upperBound <= end)
        return unsafe DoubleText.value(bytes, range)
    }

    /// Returns a number's exact value.
    func number(_ range: Range<Int>, isInteger: Bool) -> JSONNumber {
        precondition(range.lowerBound >= 0 && range.upperBound <= end)
        return unsafe JSONNumber(bytes, range, isInteger: isInteger)
    }
}
