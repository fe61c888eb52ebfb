// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The params of a call to the embedded server, by position or by name.
struct ServerParams {
    private var positional: [RawJSON] = []
    private var named: [(name: String, value: RawJSON)] = []

    init(_ params: RawJSON?) throws {
        guard let params else { return }
        let members: JSONMembers?
        do {
            members = try JSONMembers(params)
        } catch {
            throw Self.invalid("the name of a member must be valid Unicode")
        }
        if let members {
            named = members.members
        } else {
            positional = try params.elements() ?? []
        }
    }

    /// All values, in order and without names.
    var values: [RawJSON] { positional + named.map(\.value) }

    /// Returns the value at a position or with a name; `nil` if it is absent.
    func value(_ position: Int, _ name: String) -> RawJSON? {
        if positional.indices.contains(position) { return positional[position] }
        return named.last { $0.name == name }?.value
    }

    /// Returns a number.
    ///
    /// - Throws: An ``ErrorObject`` if the value is absent or not a number.
    func number(_ position: Int, _ name: String) throws -> ServerNumber {
        guard let value = value(position, name) else { throw Self.invalid("'\(name)' is missing") }
        return try ServerNumber(value, name)
    }

    /// Returns the error -32602 with a reason.
    static func invalid(_ why: String) -> ErrorObject {
        ErrorObject(code: .invalidParams, message: "Invalid params: \(why).")
    }
}

/// A JSON number: an integer if it fits into 64 bits, else floating point.
enum ServerNumber: Equatable {
    case integer(Int64)
    case real(Double)

    init(_ json: RawJSON, _ name: String) throws {
        if let integer = Int64(json.text) {
            self = .integer(integer)
        } else if let first = json.bytes.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
            let real = Double(json.text), real.isFinite
        {
            self = .real(real)
        } else {
            throw ServerParams.invalid("'\(name)' must be a number within the range of a double")
        }
    }

    var real: Double {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        }
    }

    /// Applies an operation to two numbers. If the integer operation overflows, it is done in floating point.
    ///
    /// - Throws: An ``ErrorObject`` if the result is out of range.
    static func combine(
        _ left: ServerNumber, _ right: ServerNumber, _ integers: (Int64, Int64) -> (Int64, Bool),
        _ reals: (Double, Double) -> Double
    ) throws -> ServerNumber {
        if case (.integer(let left), .integer(let right)) = (left, right) {
            let (outcome, overflows) = integers(left, right)
            if !overflows { return .integer(outcome) }
        }
        let outcome = reals(left.real, right.real)
        guard outcome.isFinite else { throw ServerParams.invalid("the result is out of range") }
        return .real(outcome)
    }

    var json: String {
        switch self {
        case .integer(let value): String(value)
        case .real(let value): "\(value)"
        }
    }
}
