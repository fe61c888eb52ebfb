// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Both engines deliver the same messages from recorded frames of other servers (`Scripts/record-frames.py`).
@Suite(.inTurn(within: .seconds(60)))
struct EngineRecordingTests {
    struct Recording: Sendable, CustomTestStringConvertible {
        var server: String
        var messages: Int
        var binary: [UInt8]?
        var code: UInt16
        var reason: String

        var testDescription: String { server }

        static let all = [
            Recording(server: "websockets", messages: 8, binary: [0, 255], code: 1001, reason: "bye"),
            Recording(server: "aiohttp", messages: 7, binary: Array(0...255), code: 4999, reason: "bye"),
            Recording(server: "ws", messages: 8, binary: [0, 255, 128], code: 4001, reason: "bye é"),
            Recording(server: "aria2", messages: 3, binary: nil, code: 1000, reason: ""),
        ]
    }

    @Test(arguments: Recording.all, [1, 7, 100_000])
    func bothEnginesDeliverTheSame(recording: Recording, pieceBytes: Int) async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Recorded/\(recording.server).frames")
        let frames = Array(try Data(contentsOf: file))
        var texts: [[String]] = []
        for engine in WebSocketEngine.both {
            var configuration = WebSocketConfiguration()
            configuration.engine = engine
            configuration.proxy = .none
            configuration.pingInterval = nil
            let run = try await TestedRole.client.run(configuration) { side in
                for start in stride(from: 0, to: frames.count, by: pieceBytes) {
                    try side.socket.send(frames[start..<min(start + pieceBytes, frames.count)])
                }
                try side.waitForEnd()
            }
            let binary = run.events.compactMap(\.binary)
            #expect(binary == (recording.binary.map { [$0] } ?? []))
            #expect(run.closure.initiator == .remote && run.closure.error == nil)
            #expect(run.closure.code == recording.code && run.closure.reason == recording.reason)
            texts.append(run.events.compactMap(\.text))
            #expect(texts.last?.count == recording.messages - binary.count)
        }
        #expect(texts.first == texts.last)
    }
}
