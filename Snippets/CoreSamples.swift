// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples in the documentation of JSONRPCCore.
import JSONRPCSession

func subtract(over client: JSONRPCClient) async throws -> Int {
    struct Subtract: JSONRPCRequest {
        typealias Response = Int
        var minuend: Int, subtrahend: Int
        var method: String { "subtract" }
        var params: [Int] { [minuend, subtrahend] }
    }
    let difference = try await client.call(Subtract(minuend: 42, subtrahend: 23))
    return difference
}

func log(over client: JSONRPCClient) async throws {
    struct Log: JSONRPCNotification {
        var line: String
        var method: String { "log" }
        var params: [String] { [line] }
    }
    try await client.call(Log(line: "started"))
}

struct Subtract: JSONRPCRequest {
    typealias Response = Int
    var minuend: Int, subtrahend: Int
    var method: String { "subtract" }
    var params: [Int] { [minuend, subtrahend] }
}

struct CountCharacters: JSONRPCRequest {
    typealias Response = Int
    var text: String
    var method: String { "count_characters" }
    var params: [String] { [text] }

    init(of text: String) { self.text = text }
}

func batch(by factory: BatchFactory, post: ([UInt8]) async throws -> [UInt8]) async throws -> Int {
    let batch = try factory.create(Subtract(minuend: 42, subtrahend: 23), CountCharacters(of: "abc"))
    let answer = try await post(batch.bytes)
    let (difference, count) = try batch.responses(from: answer)
    return difference &+ count
}

func show(_ outcome: Result<Int, CallError>) {
    switch outcome {
    case .success(let sum): print(sum)
    case .failure(.answered(let error)): print("the server says", error.code, error.message)
    case .failure(.failed(let error)): print(error, error.delivery == .notSent ? "safe to repeat" : "")
    case .failure(.cancelled): break
    }
}

func dates(in configuration: inout SessionConfiguration) {
    var coder = WireJSONCoder()
    coder.encoder.dateEncodingStrategy = .iso8601
    coder.decoder.dateDecodingStrategy = .iso8601
    configuration.coder = coder
}

func reactions(in configuration: inout SessionConfiguration) {
    var strictness = Strictness.standard
    strictness[.errorCodeAsString] = .ignore
    strictness[.unknownResponse] = .closeConnection
    configuration.strictness = strictness
}
