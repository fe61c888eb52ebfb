// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The methods of the embedded server that need only their params.
enum ServerMethods {
    /// Returns the params unchanged; `null` if there are none.
    static func echo(_ params: RawJSON?) -> RawJSON { params ?? .null }

    /// Returns the sum of the params, which must be numbers.
    static func add(_ params: RawJSON?) throws -> RawJSON {
        var sum = ServerNumber.integer(0)
        for (index, value) in try ServerParams(params).values.enumerated() {
            sum = try .combine(
                sum, ServerNumber(value, "param \(index + 1)"), { $0.addingReportingOverflow($1) }, +)
        }
        return try RawJSON(validating: sum.json)
    }

    /// Returns `minuend` minus `subtrahend`.
    static func subtract(_ params: RawJSON?) throws -> RawJSON {
        let params = try ServerParams(params)
        let difference = try ServerNumber.combine(
            params.number(0, "minuend"), params.number(1, "subtrahend"), { $0.subtractingReportingOverflow($1) }, -)
        return try RawJSON(validating: difference.json)
    }

    /// Waits for `seconds` and returns that number.
    static func sleep(_ params: RawJSON?) async throws -> RawJSON {
        let seconds = try ServerParams(params).number(0, "seconds")
        guard (0...3600).contains(seconds.real) else { throw ServerParams.invalid("'seconds' must be from 0 to 3600") }
        try await pause(for: .seconds(seconds.real))
        return try RawJSON(validating: seconds.json)
    }

    /// Returns after a time. A client that cancels many long sleeps takes no memory for them, unlike with `Task.sleep`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    static func pause(for duration: Duration) async throws {
        let clock = anchored(ContinuousClock())
        guard await clock.isReached(clock.now.advanced(by: duration)) else { throw CancellationError() }
    }

    /// Throws an error object with the given `code`, `message` and `data`.
    static func fail(_ params: RawJSON?) throws -> RawJSON {
        let params = try ServerParams(params)
        var error = ErrorObject(code: ErrorObject.Code(rawValue: -32000), message: "Failed as requested.")
        if let code = params.value(0, "code") {
            guard case .integer(let number) = try ServerNumber(code, "code"), let code = Int(exactly: number) else {
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
