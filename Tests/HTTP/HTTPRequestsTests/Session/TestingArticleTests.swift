// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing

/// The samples of the article "Testing code that calls an HTTP API".
@Suite(.inTurn(within: .seconds(60))) struct TestingArticleTests {
    @Test func theRequestIsSent() async throws {
        let transport = MockHTTPTransport()
        transport.expect(.post("/users"), reply: .status(201))
        let session = HTTPSession(transport: transport)
        try await session.send(CreateUser())
        try transport.verify()
        #expect(transport.requests.first?.text == #"{"name":"ishkawa"}"#)
        #expect(transport.requests.first?.head.headerFields[.contentType] == "application/json")
    }

    @Test func aTakenNameIsAnError() async throws {
        let session = HTTPSession(transport: MockHTTPTransport(reply: .json(#"{"code":"taken"}"#, status: 409)))
        let error = await #expect(throws: HTTPRequestError<ServiceError>.self) {
            try await session.send(CreateUser())
        }
        guard case .status(let failure) = error else {
            Issue.record("The error is \(String(describing: error)).")
            return
        }
        #expect(failure.status.code == 409)
        #expect(failure.failure?.code == "taken")
    }

    @Test func aLostConnectionIsAnError() async throws {
        let lost = HTTPTransportError(.connectionLost, "The server has ended the connection.")
        let session = HTTPSession(transport: MockHTTPTransport(reply: .failure(lost)))
        let error = await #expect(throws: HTTPRequestError<[UInt8]>.self) {
            try await session.send(GetRepository(owner: "a", name: "b"))
        }
        #expect(error?.transportError?.code == .connectionLost)
    }

    @Test func aServerThatNeverAnswers() async throws {
        let clock = ManualHTTPClock()
        var configuration = HTTPSessionConfiguration()
        configuration.clock = clock
        let session = HTTPSession(transport: MockHTTPTransport(reply: .none), configuration: configuration)
        let request = Task { try await session.send(GetRepository(owner: "a", name: "b")) }
        try await clock.waitForSleeper(dueIn: .seconds(60))
        clock.advance(by: .seconds(60))
        let error = await #expect(throws: HTTPRequestError<[UInt8]>.self) { try await request.value }
        #expect(error?.transportError?.code == .timedOut)
    }

    @Test func aRequestThatIsCancelled() async throws {
        let transport = MockHTTPTransport(reply: .none)
        let session = HTTPSession(transport: transport)
        let request = Task { try await session.send(GetRepository(owner: "a", name: "b")) }
        try await transport.waitForRequests(1)
        request.cancel()
        let error = await #expect(throws: HTTPRequestError<[UInt8]>.self) { try await request.value }
        guard case .cancelled = error else {
            Issue.record("The error is \(String(describing: error)).")
            return
        }
    }

    @Test func aRequestIsSentAgain() async throws {
        let transport = MockHTTPTransport()
        transport.expect(reply: .status(503))
        transport.expect(reply: .json(#"{"name":"b","stars":3}"#))
        let clock = ImmediateHTTPClock()
        var retry = RetryInterceptor()
        retry.clock = clock
        let session = HTTPSession(transport: transport, interceptors: [retry])
        #expect(try await session.send(GetRepository(owner: "a", name: "b")).stars == 3)
        #expect(clock.pauses.count == 1)
        try transport.verify()
    }

    @Test func theOrderOfAnswersIsChosen() async throws {
        let gate = HTTPGate()
        let transport = MockHTTPTransport()
        transport.when(.get("/repos/a/slow"), reply: .held(by: gate, then: .json(#"{"name":"slow","stars":1}"#)))
        transport.when(.get("/repos/a/fast"), reply: .json(#"{"name":"fast","stars":2}"#))
        let session = HTTPSession(transport: transport)
        async let slow = session.send(GetRepository(owner: "a", name: "slow"))
        #expect(try await session.send(GetRepository(owner: "a", name: "fast")).stars == 2)
        gate.open()
        #expect(try await slow.stars == 1)
    }

    @Test func aRecordingIsPlayed() async throws {
        let real = MockHTTPTransport(reply: .json(#"{"name":"b","stars":3}"#))
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await record(real, path)
        let replay = ReplayingHTTPTransport(try await HTTPRecording(contentsOf: path))
        let session = HTTPSession(transport: replay)
        #expect(try await session.send(GetRepository(owner: "a", name: "b")).stars == 3)
        #expect(replay.remaining.isEmpty)
    }

    private func record(_ transport: any HTTPTransport, _ path: String) async throws {
        let recorder = RecordingHTTPTransport(over: transport)
        let session = HTTPSession(transport: recorder)
        _ = try await session.send(GetRepository(owner: "a", name: "b"))
        try recorder.recording.write(to: path)
    }
}
