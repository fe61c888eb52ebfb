// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import ToolSupport

/// The methods of the embedded server that need only their params.
enum ServerMethods {
    static func echo(_ params: RawJSON?) -> RawJSON { params ?? .null }

    static func add(_ params: RawJSON?) throws -> RawJSON {
        var sum = ServerNumber(integer: 0, real: 0)
        for (index, value) in try ServerParams(params).values.enumerated() {
            sum = try .combine(
                sum, ServerNumber(value, "param \(index + 1)"), { $0.addingReportingOverflow($1) }, +)
        }
        return sum.json
    }

    static func subtract(_ params: RawJSON?) throws -> RawJSON {
        let params = try ServerParams(params)
        let difference = try ServerNumber.combine(
            params.number(0, "minuend"), params.number(1, "subtrahend"), { $0.subtractingReportingOverflow($1) }, -)
        return difference.json
    }

    static func sleep(_ params: RawJSON?) async throws -> RawJSON {
        let seconds = try ServerParams(params).number(0, "seconds")
        guard (0...3600).contains(seconds.real) else { throw ServerParams.invalid("'seconds' must be from 0 to 3600") }
        try await pause(for: .seconds(seconds.real))
        return seconds.json
    }

    /// Returns after a time. A client that cancels many long sleeps takes no memory for them, unlike with `Task.sleep`.
    /// Throws `CancellationError` if the task is cancelled.
    static func pause(for duration: Duration) async throws {
        let clock = anchored(ContinuousClock())
        guard await clock.isReached(clock.now.advanced(by: duration)) else { throw CancellationError() }
    }

    static func fail(_ params: RawJSON?) throws -> RawJSON {
        let params = try ServerParams(params)
        var error = ErrorObject(code: ErrorObject.Code(rawValue: -32000), message: "Failed as requested.")
        if let code = params.value(0, "code") {
            guard let number = try ServerNumber(code, "code").integer, let code = Int(exactly: number) else {
                throw ServerParams.invalid("'code' must be an integer")
            }
            error.code = ErrorObject.Code(rawValue: code)
        }
        if let message = params.value(1, "message") {
            guard message.bytes.first == UInt8(ascii: "\""), let text = try? message.decode(as: String.self) else {
                throw ServerParams.invalid("'message' must be a string of valid Unicode")
            }
            error.message = text
        }
        error.data = params.value(2, "data")
        throw error
    }
}

/// The params of a call to the embedded server, by position or by name.
struct ServerParams {
    private var positional: [RawJSON] = []
    private var named: [(name: String, value: RawJSON)] = []

    init(_ params: RawJSON?) throws {
        guard let params else { return }
        do {
            named = try params.namedMembers() ?? []
        } catch {
            throw Self.invalid("the name of a member must be valid Unicode")
        }
        positional = try params.elements() ?? []
    }

    /// All values, in order and without names.
    var values: [RawJSON] { positional + named.map(\.value) }

    /// Returns the value at a position or with a name; `nil` if it is absent.
    func value(_ position: Int, _ name: String) -> RawJSON? {
        if positional.indices.contains(position) { return positional[position] }
        return named.last { $0.name == name }?.value
    }

    func number(_ position: Int, _ name: String) throws -> ServerNumber {
        guard let value = value(position, name) else { throw Self.invalid("'\(name)' is missing") }
        return try ServerNumber(value, name)
    }

    /// Returns the error -32602 with a reason.
    static func invalid(_ why: String) -> ErrorObject {
        ErrorObject(code: .invalidParams, message: "Invalid params: \(why).")
    }
}

/// A JSON number. It is an integer if it fits into 64 bits.
struct ServerNumber {
    var integer: Int64?
    var real: Double

    /// Applies an operation to two numbers. If the integer operation overflows, it is done in floating point.
    static func combine(
        _ left: ServerNumber, _ right: ServerNumber, _ integers: (Int64, Int64) -> (Int64, Bool),
        _ reals: (Double, Double) -> Double
    ) throws -> ServerNumber {
        if let left = left.integer, let right = right.integer, case (let outcome, false) = integers(left, right) {
            return ServerNumber(integer: outcome, real: Double(outcome))
        }
        let outcome = reals(left.real, right.real)
        guard outcome.isFinite else { throw ServerParams.invalid("the result is out of range") }
        return ServerNumber(real: outcome)
    }

    var json: RawJSON { RawJSON(literal: integer.map { "\($0)" } ?? "\(real)") }
}

extension ServerNumber {
    init(_ json: RawJSON, _ name: String) throws {
        guard let real = Double(json.text), real.isFinite else {
            throw ServerParams.invalid("'\(name)' must be a number within the range of a double")
        }
        self.init(integer: Int64(json.text), real: real)
    }
}
