// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import TestSupport
import WebSocket

/// A client and a listener over loopback, with all pairs of engines.
@Suite(.serialized, .inTurn(within: .seconds(60)))
struct LoopbackTests {
    @Test(arguments: EnginePair.allCases) func textComesBackFromAnEcho(pair: EnginePair) async throws {
        let loops = WebSocketEventLoops()
        let listener = try await pair.listen(on: loops)
        let handler = RecordingHandler()
        let connection = try await pair.dial(listener.url, handler: handler, on: loops)
        #expect(handler.events.elements.first?.isOpened == true)
        try connection.send(text: "hello")
        #expect(await handler.events.first { $0.text != nil }?.text == "hello")
        connection.close()
        let closure = try #require(await handler.closure())
        #expect(closure.initiator == .local)
        #expect(closure.closeCode == .normalClosure)
        #expect(closure.error == nil)
        await loops.shutDown()
    }

    @Test(
        arguments: [0, 1, 125, 126, 127, 16_384, 16_385, 65_521, 65_522, 65_523, 131_044, 1_000_003],
        EnginePair.allCases)
    func messagesOfEverySizeComeBackWhole(size: Int, pair: EnginePair) async throws {
        let loops = WebSocketEventLoops()
        let listener = try await pair.listen(on: loops)
        let handler = RecordingHandler()
        let connection = try await pair.dial(listener.url, handler: handler, on: loops)
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try connection.send(binary: bytes)
        let answer = await handler.events.first { $0.binary != nil }?.binary
        #expect(answer == bytes)
        await loops.shutDown()
    }

    @Test(arguments: EnginePair.allCases) func tenThousandMessagesArriveInOrder(pair: EnginePair) async throws {
        let loops = WebSocketEventLoops(count: 2)
        let listener = try await pair.listen(on: loops)
        let handler = RecordingHandler()
        let connection = try await pair.dial(listener.url, handler: handler, on: loops)
        for number in 0..<10_000 { try connection.send(text: "\(number)") }
        let last = await handler.events.first { $0.text == "9999" }
        #expect(last != nil)
        let texts = handler.events.elements.compactMap(\.text)
        #expect(texts == (0..<10_000).map(String.init))
        await loops.shutDown()
    }
}
