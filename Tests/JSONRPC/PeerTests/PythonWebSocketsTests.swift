// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Sessions with Python's `websockets`, another strict implementation of RFC 6455. It refuses an unmasked frame, a
/// fragment out of order, and text that is not UTF-8.
@Suite(.serialized, .withEachEngine, .inTurn(within: .seconds(60)))
struct PythonWebSocketsTests {
    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 65_537, 1_000_000, 20_000_000])
    func messagesOfEverySizeComeBackAsTheyWent(size: Int) async throws {
        try await PythonPeer.run(PythonPeer.websockets) { url, _ in
            try await withClient(to: url) { client in
                let text =
                    String(repeating: "é123456789abcd\n", count: size / 16) + String(repeating: "z", count: size % 16)
                let echoed: [String] = try await client.call("echo", params: [text])
                #expect(echoed == [text])
            }
        }
    }

    @Test func answersOutOfOrderFindTheirCalls() async throws {
        try await PythonPeer.run(PythonPeer.websockets) { url, _ in
            try await withClient(to: url) { client in
                let seconds = (0..<50).map { number in
                    let hundredths = (50 - number) % 7
                    return Double(hundredths * 10_000 + number) / 1e6
                }
                try await withThrowingTaskGroup { group in
                    for second in seconds {
                        group.addTask { (second, try await client.call("sleep", params: [second], as: Double.self)) }
                    }
                    for try await (asked, answered) in group { #expect(asked == answered) }
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func arrivingMessagesMayBeCompressed(offersCompression: Bool) async throws {
        var webSocket = WebSocketConfiguration.tested
        // libwebsockets offers no compression.
        let offersCompression = offersCompression && webSocket.engine == .builtIn
        webSocket.compression = offersCompression
        try await PythonPeer.run(PythonPeer.websockets, ["--deflate"]) { [webSocket] url, _ in
            try await withClient(to: url, webSocket: webSocket) { client in
                let wire: Wire = try await client.call("wire")
                #expect(wire.extensions == (offersCompression ? ["permessage-deflate"] : []))
                for size in [1, 1000, 100_000, 3_000_000] {
                    let text = String(repeating: "abcdefghijk", count: size / 11 + 1)
                    let echoed: [String] = try await client.call("echo", params: [text])
                    #expect(echoed == [text])
                }
            }
        }
    }

    @Test func theHandshakeCarriesWhatWasConfigured() async throws {
        var webSocket = WebSocketConfiguration.tested
        webSocket.subprotocols = ["first", "second"]
        webSocket.origin = "https://example.org"
        webSocket.headers = [("X-Token", "abc def"), ("X-Other", "1")]
        try await PythonPeer.run(PythonPeer.websockets, ["--subprotocol", "second"]) { [webSocket] url, _ in
            try await withClient(to: url, webSocket: webSocket) { client in
                let wire: Wire = try await client.call("wire")
                #expect(wire.subprotocol == "second")
                #expect(wire.headers["origin"] == "https://example.org")
                #expect(wire.headers["x-token"] == "abc def")
                #expect(wire.headers["x-other"] == "1")
            }
        }
    }

    @Test func theServersCloseCodeAndReasonAreTold() async throws {
        try await PythonPeer.run(PythonPeer.websockets) { url, _ in
            let client = try await JSONRPCClient.connect(to: url, webSocket: .tested)
            let session = try #require(client.session)
            let error = await #expect(throws: ClientError.self) {
                try await client.call("close", params: ByPosition(4321, "bis bald"), as: RawJSON.self)
            }
            #expect(error?.code == .connectionLost)
            #expect(error?.closeCode == 4321)
            #expect(error?.delivery == .outcomeUnknown)
            await session.closed()
            #expect(session.closure?.initiator == .remote)
            #expect(session.closure?.reason == "bis bald")
            await client.close()
        }
    }

    @Test func aMessageAboveTheServersLimitEndsTheSessionWith1009() async throws {
        try await PythonPeer.run(PythonPeer.websockets, ["--max-size", "100000"]) { url, _ in
            let client = try await JSONRPCClient.connect(to: url, webSocket: .tested)
            let error = await #expect(throws: ClientError.self) {
                try await client.call("echo", params: [String(repeating: "x", count: 200_000)], as: RawJSON.self)
            }
            #expect(error?.code == .connectionLost)
            #expect(error?.closeCode == 1009)
            await client.close()
        }
    }

    @Test func aBatchHoldsCallsAndNotificationsAndIsAnsweredAsOneArray() async throws {
        try await PythonPeer.run(PythonPeer.websockets) { url, _ in
            try await withClient(to: url) { client in
                let outcomes = try await client.batch([
                    .call("subtract", params: [42, 23]),
                    .notification("echo", params: [1]),
                    .call("fail", params: ByPosition(-32050, "no", ["why"])),
                    .call("nowhere"),
                ])
                try #require(outcomes.count == 4)
                let difference = try #require(outcomes[0]).get()
                #expect(difference.text == "19")
                #expect(outcomes[1] == nil)
                let failure = #expect(throws: CallError.self) { _ = try outcomes[2]?.get() }
                #expect(failure?.errorObject?.code == -32050)
                #expect(try failure?.errorObject?.data(as: [String].self) == ["why"])
                #expect(throws: CallError.answered(ErrorObject(.methodNotFound))) {
                    _ = try outcomes[3]?.get()
                }
            }
        }
    }

    @Test func theServerCallsBack() async throws {
        try await PythonPeer.run(PythonPeer.websockets) { url, _ in
            try await withClient(to: url) { client in
                client.handle("double") { (numbers: [Int]) async throws -> [Int] in numbers.map { $0 * 2 } }
                struct Request: Encodable, Sendable {
                    var method: String
                    var params: [Int]
                }
                struct Answer: Decodable, Sendable {
                    var result: [Int]?
                    var error: ErrorObject?
                }
                let doubled: Answer = try await client.call(
                    "call_back", params: Request(method: "double", params: [1, 2, 3]))
                #expect(doubled.result == [2, 4, 6])
                let unknown: Answer = try await client.call("call_back", params: Request(method: "triple", params: []))
                #expect(unknown.error?.code == .methodNotFound)
            }
        }
    }

    @Test func notificationsComeInOrder() async throws {
        try await PythonPeer.run(PythonPeer.websockets) { url, _ in
            try await withClient(to: url) { client in
                let ticks = client.notifications("tick", as: [Int].self)
                #expect(try await client.call("tick", params: [500], as: Int.self) == 500)
                var expected = 0
                for try await element in ticks {
                    #expect(element == .value([expected]))
                    expected += 1
                    if expected == 500 { break }
                }
            }
        }
    }

    private struct Wire: Decodable, Sendable {
        var subprotocol: String?
        var extensions: [String]
        var headers: [String: String]
    }
}
