// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing

@Suite(.inTurn) struct TestingTransportTests {
    @Test func expectationsAreMetInOrder() async throws {
        let transport = MockHTTPTransport()
        transport.expect(.get("/1"), reply: .json("1"))
        transport.expect(.post("/users"), reply: .status(201))
        transport.when(.any, reply: .json("0"))
        let session = HTTPSession(transport: transport)
        #expect(try await session.send(Get<Int>(path: "/2")) == 0)
        #expect(try await session.send(Get<Int>(path: "/1", queryItems: [.init("q", "1")])) == 1)
        #expect(throws: MockHTTPTransportError(missing: ["POST /users"], unexpected: [])) { try transport.verify() }
        try await session.send(CreateUser())
        try transport.verify()
        #expect(transport.requests.last?.text == #"{"name":"ishkawa"}"#)
    }

    @Test func everyWaitEndsWithItsTask() async {
        let (transport, feed, clock) = (MockHTTPTransport(), HTTPPieceFeed(), ManualHTTPClock())
        let waits: [(String, Task<Void, any Error>)] = [
            ("3 requests was cancelled: there were 0.", Task { try await transport.waitForRequests(3) }),
            ("2 reads of a body was cancelled: there were 0.", Task { try await feed.waitForReads(2) }),
            (
                "a sleeper due in 5.0 seconds was cancelled: no task slept.",
                Task { try await clock.waitForSleeper(dueIn: .seconds(5)) }
            ),
        ]
        for (text, task) in waits {
            task.cancel()
            let error = await #expect(throws: HTTPWaitCancelled.self) { try await task.value }
            #expect(error?.description == "A wait for " + text)
        }
    }

    @Test func aManualClockSaysWhenATaskSleeps() async throws {
        let clock = ManualHTTPClock()
        let waiting = Task { try await clock.waitForSleeper(dueIn: .seconds(5)) }
        let sleeping = Task { try await clock.sleep(until: clock.now.advanced(by: .seconds(5))) }
        try await waiting.value
        try await clock.waitForSleeper(dueIn: .seconds(5))
        clock.advance(by: .seconds(5))
        try await sleeping.value
    }

    @Test func unexpectedRequestsFail() async throws {
        let transport = MockHTTPTransport()
        await #expect(throws: HTTPRequestError<[UInt8]>.self) {
            try await HTTPSession(transport: transport).send(Get<Int>(path: "/x"))
        }
        #expect(throws: MockHTTPTransportError(missing: [], unexpected: ["GET https://api.example.com/x"])) {
            try transport.verify()
        }
    }

    @Test func aRecordingIsReplayedFromItsFile() async throws {
        let mock = MockHTTPTransport()
        mock.expect(reply: .json("1", fields: [.setCookie: "a=s3cret", .eTag: "\"x\""]))
        mock.expect(reply: .json("2"))
        mock.expect(reply: .status(201, body: [0xFF, 0x00, 0x1F]))
        mock.expect(reply: .text("é"))
        let recorder = RecordingHTTPTransport(over: mock)
        var get = Get<Int>(path: "/count", headerFields: [.authorization: "s3cret"])
        get.queryItems = [.init("token", "s3cret")]
        let request = get
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        func run(_ transport: any HTTPTransport) async throws {
            let session = HTTPSession(transport: transport)
            #expect(try await session.send(request) == 1)
            #expect(try await session.send(request) == 2)
            #expect(try await session.send(Get<[UInt8]>(method: .post, body: DataHTTPBody([7]))) == [0xFF, 0x00, 0x1F])
            #expect(try await session.send(Get<String>()) == "é")
        }
        try await run(recorder)
        try recorder.recording.write(to: path)
        #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("s3cret"))
        let recording = try await HTTPRecording(contentsOf: path)
        #expect(recording == recorder.recording)
        let replay = ReplayingHTTPTransport(recording)
        try await run(replay)
        #expect(replay.remaining.isEmpty)
        await #expect(throws: HTTPRequestError<[UInt8]>.self) { try await HTTPSession(transport: replay).send(request) }
    }

    @Test func malformedRecordingsAreErrors() async throws {
        let good = HTTPRecording.Exchange(
            method: "GET", url: "https://api.example.com/", requestFields: [], requestBody: nil, status: 200,
            responseFields: [], responseBody: .init(Array("1".utf8)))
        var exchanges = [good, good, good, good]
        exchanges[0].status = -5
        exchanges[1].responseFields = [["a b", "c"]]
        exchanges[2].responseFields = [["a"]]
        exchanges[3].responseBody.text = nil
        exchanges[3].responseBody.hex = "0x"
        let session = HTTPSession(transport: ReplayingHTTPTransport(HTTPRecording(exchanges: exchanges)))
        for _ in exchanges {
            do throws(HTTPRequestError<[UInt8]>) {
                _ = try await session.send(Get<Int>())
                Issue.record("The request succeeded.")
            } catch {
                #expect(error.underlying as? HTTPRecordingError == .malformed("GET https://api.example.com/"))
            }
        }
        await #expect(throws: (any Error).self) { try await HTTPRecording(contentsOf: "/nonexistent/file.json") }
        #expect(throws: HTTPRecordingError.self) { try HTTPRecording().write(to: "/nonexistent/file.json") }
    }
}
