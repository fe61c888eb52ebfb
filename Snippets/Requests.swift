// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

// A request is a type that knows its response.
struct Subtract: JSONRPCRequest {
    typealias Response = Int
    var minuend: Int, subtrahend: Int
    var method: String { "subtract" }
    var params: [Int] { [minuend, subtrahend] }
}

// By name; members that are nil are left out.
struct CountCharacters: JSONRPCRequest {
    struct Params: Encodable, Sendable {
        var characters: String
        var limit: Int?
    }

    typealias Response = Int
    var params: Params
    var method: String { "count_characters" }

    init(of characters: String) { params = Params(characters: characters) }
}

// A notification has no response.
struct Log: JSONRPCNotification {
    var line: String
    var method: String { "log" }
    var params: [String] { [line] }

    init(_ line: String) { self.line = line }
}

func requests(over client: some JSONRPCCaller) async throws {
    let difference = try await client.call(Subtract(minuend: 42, subtrahend: 23), timeout: .seconds(5))
    print(difference)

    // The outcome without a cast.
    switch await client.result(of: Subtract(minuend: 42, subtrahend: 23)) {
    case .success(let difference): print(difference)
    case .failure(.answered(let error)): print("the server says", error.code, error.message)
    case .failure(.failed(let error)): print(error.delivery == .notSent ? "safe to repeat" : "outcome unknown")
    case .failure(.cancelled): break
    }

    // One array on the wire. The third is a notification, its element is Void.
    let (first, count, _) = try await client.batch(
        Subtract(minuend: 42, subtrahend: 23), CountCharacters(of: "abc"), Log("hi"))
    print(first, count)

    // One request's failure does not affect the others.
    let (outcome, value) = try await client.results(
        Subtract(minuend: 42, subtrahend: 23), MethodCall("get_data", params: ["id": 7]))
    print(outcome, value)

    // Any number of one type.
    let many = (0..<5000).map { Subtract(minuend: $0, subtrahend: 1) }
    let outcomes = try await client.batch(many)
    print(outcomes.count { (try? $0.get()) == nil }, "failed")

    // Calls made close together share an array.
    let gathering = BatchingCaller(over: client, window: .milliseconds(2))
    async let one = gathering.call(Subtract(minuend: 1, subtrahend: 1))
    async let other = gathering.call(CountCharacters(of: "abc"))
    print(try await one, try await other)

    // By the method's name. Params may be a literal of different types; the result is a JSONValue, or of the type that
    // the context asks for.
    let gid = try await client.call("aria2.addUri", params: ["token:x", ["http://127.0.0.1/x"], ["dir": "/"]])
    let version: Int = try await client.call("version", params: ["verbose": true, "limit": JSONValue(count)])
    try await client.call("pause")
    if case .failure(let error) = await client.result(of: "version", params: [1, "x"], as: Int.self) { print(error) }
    print(gid.stringValue ?? "", version)

    // As if the method were a function.
    let total: Int = try await client.dynamic.math.sum(1, 2, 4)
    let info = try await client.dynamic.system.info(of: "disk")
    print(total, info.name?.stringValue ?? "")
}

/// A batch without any transport of this package: `post` sends bytes and returns the answer's.
func batchOverAnything(post: ([UInt8]) async throws -> [UInt8]) async throws {
    let factory = BatchFactory()
    let batch = try factory.create(Subtract(minuend: 42, subtrahend: 23), CountCharacters(of: "abc"), Log("hi"))
    let (difference, count, _) = try batch.responses(from: try await post(batch.bytes))
    print(difference, count)
}

/// A transport of your own that moves bytes.
struct Loopback: DataTransport {
    func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8] {
        expectsResponse ? Array(#"{"jsonrpc":"2.0","id":1,"result":19}"#.utf8) : []
    }
}

/// A transport of your own that must see the requests: it writes them, and reads the responses, by itself.
struct Recording: ObjectTransport {
    var post: @Sendable ([UInt8]) async throws -> [UInt8]

    func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
        for request in message.requests { print(request.id?.description ?? "-", request.method) }
        return try AnswerReader().responses(in: try await post(message.bytes()))
    }
}

print(try await TransportCaller(over: Loopback()).call(Subtract(minuend: 42, subtrahend: 23)))

let client = try await JSONRPCClient.connect(to: "ws://127.0.0.1:8080/")
try await requests(over: client)
await client.close()
