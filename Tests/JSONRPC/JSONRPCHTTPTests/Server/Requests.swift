// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCHTTP
import WireJSON

struct Subtract: JSONRPCRequest {
    typealias Response = Int
    var minuend: Int, subtrahend: Int
    var method: String { "subtract" }
    var params: [Int] { [minuend, subtrahend] }

    init(_ minuend: Int, _ subtrahend: Int = 0) {
        self.minuend = minuend
        self.subtrahend = subtrahend
    }
}

struct Log: JSONRPCNotification {
    var line: String
    var method: String { "log" }
    var params: [String] { [line] }

    init(_ line: String) { self.line = line }
}

extension Result where Failure == CallError {
    /// The error; `nil` for a success.
    var callError: CallError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension JSONRPCHTTPClient {
    /// A client of a fake server, whose options a test changes.
    static func over(
        _ server: FakeServer, configuration: SessionConfiguration = SessionConfiguration(),
        _ change: (inout JSONRPCHTTPOptions) -> Void = { _ in }
    ) -> JSONRPCHTTPClient {
        var options = JSONRPCHTTPOptions()
        change(&options)
        return JSONRPCHTTPClient(
            url: "http://example.test:8080/rpc", over: server, configuration: configuration, options: options)
    }
}

extension SessionConfiguration {
    static func with(_ change: (inout SessionConfiguration) -> Void) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        change(&configuration)
        return configuration
    }
}

/// Returns the error of an operation; `nil` if it succeeds.
func error<Value>(of operation: () async throws -> Value) async -> (any Error)? {
    do {
        _ = try await operation()
        return nil
    } catch {
        return error
    }
}
