// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The params of a call to the embedded server, by position or by name as the caller likes.
struct ServerParams {
    private var positional: [RawJSON] = []
    private var named: [(name: String, value: RawJSON)] = []

    init(_ params: RawJSON?) throws {
        guard let params else { return }
        if let members = try JSONMembers(params) {
            named = members.members
        } else {
            positional = try JSONElements(params)?.elements ?? []
        }
    }

    /// All values, whatever they are called.
    var values: [RawJSON] { positional + named.map(\.value) }

    func value(_ position: Int, _ name: String) -> RawJSON? {
        if positional.indices.contains(position) { return positional[position] }
        return named.last { $0.name == name }?.value
    }

    /// - Throws: an ``ErrorObject`` when it is absent or no number.
    func number(_ position: Int, _ name: String) throws -> ServerNumber {
        guard let value = value(position, name) else { throw Self.invalid("'\(name)' is missing") }
        return try ServerNumber(value, name)
    }

    static func invalid(_ why: String) -> ErrorObject {
        ErrorObject(code: .invalidParams, message: "Invalid params: \(why).")
    }
}

/// A JSON number: an integer as long as it can be one.
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
            throw ServerParams.invalid("'\(name)' is no number in range")
        }
    }

    var real: Double {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        }
    }

    /// - Throws: an ``ErrorObject`` when the outcome is out of range.
    static func combine(
        _ left: ServerNumber, _ right: ServerNumber, _ integers: (Int64, Int64) -> (Int64, Bool),
        _ reals: (Double, Double) -> Double
    ) throws -> ServerNumber {
        if case (.integer(let left), .integer(let right)) = (left, right) {
            let (outcome, overflows) = integers(left, right)
            if !overflows { return .integer(outcome) }
        }
        let outcome = reals(left.real, right.real)
        guard outcome.isFinite else { throw ServerParams.invalid("the outcome is out of range") }
        return .real(outcome)
    }

    var json: String {
        switch self {
        case .integer(let value): String(value)
        case .real(let value): "\(value)"
        }
    }
}
