// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples in the documentation of JSONRPCSession.
import JSONRPCSession

struct Version: Decodable, Sendable {
    var version: String
}

struct GID: Decodable, Sendable {
    var gid: String
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

func connect(by connector: some MessageConnector) async throws -> Int {
    let session = DuplexSession()
    try await connector.connect(receiver: session.receiver)
    let sum: Int = try await session.call("add", params: [1, 2])
    await session.close()
    return sum
}

func run(over connector: some MessageConnector) async throws -> Int {
    let sum: Int = try await JSONRPCClient.withConnection(connector: connector) { client in
        try await client.call("add", params: [1, 2])
    }
    return sum
}

func callsByName(over client: JSONRPCClient) async throws {
    let gid = try await client.call("aria2.addUri", params: ["token:x", ["http://127.0.0.1/x"], ["dir": "/"]])
    let version: Version = try await client.call("aria2.getVersion")
    try await client.call("aria2.pauseAll")
    print(gid, version)
}

func dynamicCalls(over client: JSONRPCClient) async throws {
    let difference: Int = try await client.dynamic.math.subtract(42, 23)
    let value = try await client.dynamic.math.subtract(minuend: 42, subtrahend: 23)
    let gid: String = try await client.dynamic["aria2.addUri"](["http://127.0.0.1/x"])
    print(difference, value, gid)
}

func gatheredCalls(over client: JSONRPCClient) async throws {
    let gathering = BatchingCaller(over: client, window: .milliseconds(2))
    async let first = gathering.call(Subtract(minuend: 42, subtrahend: 23))
    async let second = gathering.call(CountCharacters(of: "abc"))
    print(try await first, try await second)
}

func downloads(of client: JSONRPCClient) async throws {
    for try await element in client.notifications("aria2.onDownloadStart", as: [GID].self) {
        switch element {
        case .value(let downloads): print("started:", downloads.map(\.gid))
        case .gap(let gap): print("ask the server for its state:", gap)
        }
    }
}

actor TokenStore {
    func current() async throws -> JSONValue { "secret" }
}

struct Token: CallInterceptor {
    let token: TokenStore

    func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
        var call = call
        try call.options.extraMembers.set("auth", to: await token.current())
        return try await next(call)
    }
}

struct Authorization: InboundCallInterceptor {
    func intercept(call: InboundCall, next: NextInboundInterceptor<RawJSON>) async throws -> RawJSON {
        guard call.member("auth") != nil else { throw ErrorObject(code: 401, message: "Unauthorized") }
        return try await next(call)
    }
}

struct Posting: ObjectTransport {
    var post: @Sendable ([UInt8]) async throws -> [UInt8]

    func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
        try AnswerReader().responses(in: try await post(message.bytes()))
    }
}
