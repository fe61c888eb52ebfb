// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Scalars in a document. They are parsed when they are requested.
extension JSONDocument {
    @inline(__always)
    func bool(at index: Int) throws -> Bool {
        switch entry(index).kind {
        case .true: return true
        case .false: return false
        case .null, .integer, .decimal, .string, .array, .object, .name:
            throw mismatch("a boolean", Bool.self, at: index)
        }
    }

    @inline(__always)
    func string(at index: Int) throws -> String {
        let entry = entry(index)
        guard entry.kind == .string else { throw mismatch("a string", String.self, at: index) }
        do throws(ScanFault) {
            return try text.string(entry.content)
        } catch {
            throw corrupted(error.reason, at: index)
        }
    }

    @inline(__always)
    func integer<T: FixedWidthInteger>(_ type: T.Type, at index: Int) throws -> T {
        let entry = entry(index)
        if entry.kind == .integer, let value = text.integer(entry.range, as: type) { return value }
        return try unusualInteger(type, at: index)
    }

    /// Reads numbers such as `-0`, `1.0` and `1e3`. It throws an error if the type cannot represent the number.
    @inline(never)
    private func unusualInteger<T: FixedWidthInteger>(_ type: T.Type, at index: Int) throws -> T {
        let entry = entry(index)
        guard entry.kind == .integer || entry.kind == .decimal else { throw mismatch("a number", type, at: index) }
        let number = number(entry)
        guard let value = DecimalText(number).integer(type) else { throw unfit(number, type, at: index) }
        return value
    }

    @inline(__always)
    func float<T: BinaryFloatingPoint>(_ type: T.Type, at index: Int) throws -> T {
        let entry = entry(index)
        guard entry.kind == .integer || entry.kind == .decimal else { return try wordedFloat(type, at: index) }
        let value: T =
            if type == Double.self {
                T(text.double(entry.range))
            } else {
                T(Float(number(entry)) ?? .nan)  // A conversion from `Double` would round twice.
            }
        guard value.isFinite else { throw unfit(number(entry), type, at: index) }
        return value
    }

    @inline(never)
    private func wordedFloat<T: BinaryFloatingPoint>(_ type: T.Type, at index: Int) throws -> T {
        if entry(index).kind == .string,
            case .convertFromString(let infinity, let minusInfinity, let nan) = options.values
                .nonConformingFloatDecodingStrategy
        {
            switch try string(at: index) {
            case infinity: return .infinity
            case minusInfinity: return -.infinity
            case nan: return .nan
            default: break
            }
        }
        throw mismatch("a number", type, at: index)
    }

    func number(_ entry: TapeEntry) -> String { text.text(entry.range) }
}

extension JSONDocument {
    /// Returns the error for a value of the wrong kind.
    @inline(never)
    func mismatch(_ expected: String, _ type: Any.Type, at index: Int) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path(to: index),
            debugDescription: "Expected \(expected) at \(place(of: index)), found \(entry(index).kind.phrase)."
        )
        // For `null`, Foundation's decoder reports a type mismatch for `Bool`, and a missing value for other types.
        let isMissing = entry(index).kind == .null && type != Bool.self
        return isMissing ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    @inline(never)
    private func unfit(_ number: String, _ type: Any.Type, at index: Int) -> DecodingError {
        let excerpt = number.count > 64 ? "\(number.prefix(64))…" : number
        return corrupted("`\(type)` cannot hold the number \(excerpt)", at: index)
    }

    func corrupted(_ reason: JSONSyntaxError.Reason.Code, at index: Int) -> DecodingError {
        corrupted("Could not read the value, because \(JSONSyntaxError.Reason(reason)),", at: index)
    }

    /// Returns the error for a value of the right kind with invalid content.
    @inline(never)
    func corrupted(_ problem: String, at index: Int) -> DecodingError {
        .dataCorrupted(.init(codingPath: path(to: index), debugDescription: "\(problem) at \(place(of: index))."))
    }
}

extension TapeEntry.Kind {
    var phrase: String {
        switch self {
        case .null: "null"
        case .true, .false: "a boolean"
        case .integer, .decimal: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        case .name: "a member's name"
        }
    }
}

extension DecimalText {
    /// Returns the value, or `nil` if an integer type cannot represent it.
    func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        guard !digits.isEmpty else { return 0 }
        guard exponent >= digits.count, exponent < 64 else { return nil }
        let text = (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
        return T(text + String(repeating: "0", count: exponent - digits.count))
    }
}
