// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A JSON number of any size, without loss of precision.
///
/// An integer is stored as an `Int64` or `UInt64` if possible. A number that is the shortest decimal form of a `Double`
/// is stored as that `Double`, and every other number as its text. Numbers are equal if their values are equal: `1`,
/// `1.0` and `1e0` are the same number.
public struct JSONNumber: Sendable {
    enum Storage: Sendable {
        case integer(Int64)
        /// An integer above `Int64.max`.
        case unsigned(UInt64)
        /// A finite number.
        case double(Double)
        /// Any other number of RFC 8259 §6.
        case text(String)
    }

    let storage: Storage

    init(storage: Storage) { self.storage = storage }

    /// Creates an integer.
    public init(_ value: Int64) { storage = .integer(value) }

    /// Creates an integer.
    public init(_ value: Int) { storage = .integer(Int64(value)) }

    /// Creates an integer.
    public init(_ value: UInt64) { storage = Int64(exactly: value).map(Storage.integer) ?? .unsigned(value) }

    /// Creates a floating-point number. It is `nil` for infinities and NaN, which JSON cannot represent.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        storage = .double(value)
    }

    /// Parses a number. It is `nil` if the text is not a number of RFC 8259 §6.
    public init?(_ text: String) {
        var text = text
        let number = text.withUTF8 { utf8 -> JSONNumber? in
            guard var scanner = unsafe JSONScanner(UnsafeRawBufferPointer(utf8), limits: JSONLimits()) else {
                return nil
            }
            guard let first = unsafe utf8.first, first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10,
                let isInteger = try? scanner.scanNumber(), scanner.isAtEnd
            else { return nil }
            return scanner.number(0..<utf8.count, isInteger: isInteger)
        }
        guard let number else { return nil }
        self = number
    }

    /// Creates a number from a scanned range.
    init(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>, isInteger: Bool) {
        if isInteger {
            if let value = unsafe IntegerText.value(bytes, range, as: Int64.self) {
                storage = .integer(value)
                return
            }
            if let value = unsafe IntegerText.value(bytes, range, as: UInt64.self) {
                storage = .unsigned(value)
                return
            }
        }
        let double = unsafe DoubleText.value(bytes, range)
        if double.isFinite, unsafe Self.isExact(double, for: ShortDecimal(bytes, range)) {
            storage = .double(double)
        } else {
            storage = unsafe .text(
                String(
                    decoding: UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count), as: UTF8.self))
        }
    }

    /// Whether a `Double` that was read from a decimal has the decimal's value when it is written again.
    private static func isExact(_ double: Double, for decimal: ShortDecimal) -> Bool {
        if decimal.isTruncated { return false }
        // A normal `Double` preserves any 15 digits.
        if decimal.digits < 1_000_000_000_000_000, double.isNormal || decimal.digits == 0 { return true }
        var written = double.description
        return written.withUTF8 { utf8 in
            guard let base = utf8.baseAddress else { return false }
            return unsafe ShortDecimal(base, 0..<utf8.count).isSameMagnitude(as: decimal)
        }
    }
}

extension JSONNumber {
    /// The value, or `nil` if `Int` cannot represent it exactly.
    public var int: Int? { Int(exactly: self) }
    /// The value, or `nil` if `Int64` cannot represent it exactly.
    public var int64: Int64? { Int64(exactly: self) }
    /// The value, or `nil` if `UInt64` cannot represent it exactly.
    public var uint64: UInt64? { UInt64(exactly: self) }

    /// The nearest `Double`. It is infinite if the number is too large for a `Double`.
    public var double: Double {
        switch storage {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        case .text(let text): Double(text) ?? .nan
        }
    }
}

extension FixedWidthInteger {
    /// Creates an integer from a JSON number. It is `nil` if this type cannot represent the number exactly.
    public init?(exactly number: JSONNumber) {
        switch number.storage {
        case .integer(let value): self.init(exactly: value)
        case .unsigned(let value): self.init(exactly: value)
        case .double(let value): self.init(exactly: value)
        case .text: return nil
        }
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The number as JSON text.
    public var description: String {
        switch storage {
        case .integer(let value): value.description
        case .unsigned(let value): value.description
        case .double(let value): value.description
        case .text(let text): text
        }
    }
}

extension JSONNumber: Hashable {
    /// The same form for all equal numbers: a `Double` with an integer value becomes that integer.
    private var canonical: Storage {
        guard case .double(let value) = storage else { return storage }
        return Int64(exactly: value).map(Storage.integer) ?? UInt64(exactly: value).map(Storage.unsigned) ?? storage
    }

    /// Compares values. A `Double` is compared with an integer by its exact binary value.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        switch (left.canonical, right.canonical) {
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.text(let left), .text(let right)): left == right || DecimalText(left) == DecimalText(right)
        case (.integer, _), (.unsigned, _), (.double, _), (.text, _): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch canonical {
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .text(let text): hasher.combine(DecimalText(text))
        }
    }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral value: Int64) { self.init(value) }

    /// Creates a floating-point number. It traps if the literal is not finite.
    public init(floatLiteral value: Double) {
        precondition(value.isFinite, "JSON has no infinite numbers")
        storage = .double(value)
    }
}

/// A decimal number as sign, digits and exponent. Equal values have equal forms.
struct DecimalText: Hashable {
    var isNegative = false
    /// The digits from the first to the last one that is not zero. It is empty for zero.
    var digits: [UInt8] = []
    /// The exponent of the value, which is 0.digits times ten to this power. It has no meaning for zero.
    var exponent = 0

    /// The text must be a number of RFC 8259 §6.
    init(_ text: String) {
        let text = text.utf8
        let end = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
        var point: Int?
        for byte in text[..<end] {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): point = digits.count
            default: digits.append(byte)
            }
        }
        let whole = point ?? digits.count
        let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(leading)
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        exponent = digits.isEmpty ? 0 : whole - leading + ShortDecimal.power(text[end...].dropFirst())
    }
}
