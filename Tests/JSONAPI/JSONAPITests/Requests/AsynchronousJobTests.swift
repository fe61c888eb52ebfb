// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import TestTurns
import Testing

@Suite("Asynchronous jobs", .inTurn)
struct AsynchronousJobTests {
    private let clock = ImmediateHTTPClock()
    private var polling: JobPolling {
        var polling = JobPolling()
        polling.clock = clock
        polling.limit = 5
        return polling
    }
    private let job = #"{"data":{"type":"jobs","id":"5"}}"#
    private let photo = #"{"data":{"type":"photos","id":"1"}}"#

    private func accepted(_ api: MockAPI, location: String? = "/v1/jobs/5") async throws -> ServerResponse {
        var fields: HTTPFields = [:]
        fields[.contentLocation] = location
        api.answer(job, status: 202, fields: fields)
        return try await api.client.send(JSONAPIRequest(path: "photos", method: .post))
    }

    @Test func jobsArePolledUntilTheyRedirectToTheResult() async throws {
        let api = try MockAPI()
        let response = try await accepted(api)
        api.answer(job, fields: [.retryAfter: "7"])
        api.answer(job, fields: [.retryAfter: "100000"])
        api.answer(status: 303, fields: [.location: "/v1/photos/1"])
        api.answer(photo)
        let result = try await api.client.finish(response, polling: polling)
        #expect(result.document?.data?.resources.first?.type == "photos")
        #expect(clock.pauses == [.seconds(1), .seconds(7), .seconds(60)])
        #expect(
            api.calls == [
                "POST /v1/photos", "GET /v1/jobs/5", "GET /v1/jobs/5", "GET /v1/jobs/5", "GET /v1/photos/1",
            ])
    }

    @Test func clientsThatFollowNoRedirectsFindTheResult() async throws {
        var configuration = HTTPSessionConfiguration()
        configuration.redirects = nil
        let api = try MockAPI(configuration: configuration)
        let response = try await accepted(api)
        api.answer(status: 303, fields: [.location: "../photos/1"])
        api.answer(photo)
        let result = try await api.client.finish(response, polling: polling)
        #expect(result.document?.data?.resources.first?.type == "photos")
        #expect(api.calls.last == "GET /v1/photos/1")
    }

    @Test func jobsThatDoNotEndFail() async throws {
        let api = try MockAPI()
        let (client, polling) = (api.client, polling)
        let response = try await accepted(api)
        for _ in 0..<5 { api.answer(job) }
        let endless = try await failure { () async throws(JSONAPIError) in
            try await client.finish(response, polling: polling)
        }
        #expect(endless.code == .unfinished)

        api.answer(status: 404)
        let gone = try await failure { () async throws(JSONAPIError) in
            try await client.finish(response, polling: polling)
        }
        #expect(gone.code == .notFound)

        let nameless = try await accepted(api, location: nil)
        let unnamed = try await failure { () async throws(JSONAPIError) in
            try await client.finish(nameless, polling: polling)
        }
        #expect(unnamed.code == .unfinished)

        let foreign = try await accepted(api, location: "https://evil.example/jobs/5")
        let refused = try await failure { () async throws(JSONAPIError) in
            try await client.finish(foreign, polling: polling)
        }
        #expect(refused.code == .link)
    }

    @Test func otherResponsesAreReturned() async throws {
        let api = try MockAPI()
        api.answer(photo, status: 201)
        let response = try await api.client.send(JSONAPIRequest(path: "photos", method: .post))
        #expect(try await api.client.finish(response).status == .created)
        #expect(api.calls.count == 1)
    }
}
