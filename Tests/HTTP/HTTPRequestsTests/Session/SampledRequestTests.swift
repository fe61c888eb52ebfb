// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import TestTurns
import Testing

extension GetRepository: SampledHTTPRequest {
    var sampleReply: MockHTTPReply { .json(#"{"name":"\#(name)","stars":3}"#) }
}

extension CreateUser: SampledHTTPRequest {
    var sampleReply: MockHTTPReply { .json(#"{"code":"taken"}"#, status: 409) }
}

@Suite(.inTurn) struct SampledRequestTests {
    @Test func aSampleIsRead() async throws {
        let repository = try await GetRepository(owner: "a", name: "b").sampleResponse()
        #expect(repository == Repository(name: "b", stars: 3))
        let error = await #expect(throws: HTTPRequestError<ServiceError>.self) {
            try await CreateUser().sampleResponse()
        }
        guard case .status(let failure)? = error else {
            Issue.record("The error is \(String(describing: error)).")
            return
        }
        #expect(failure.failure == ServiceError(code: "taken"))
    }

    @Test func samplesAnswerRequestsLikeTheirs() async throws {
        let transport = MockHTTPTransport()
        try await transport.whenSampled(GetRepository(owner: "a", name: "b"))
        try await transport.whenSampled(GetRepository(owner: "a", name: "c"))
        let session = HTTPSession(transport: transport)
        for name in ["b", "c", "b"] {
            #expect(try await session.send(GetRepository(owner: "a", name: name)).name == name)
        }
        let error = await #expect(throws: HTTPRequestError<[UInt8]>.self) {
            try await session.send(GetRepository(owner: "x", name: "b"))
        }
        #expect(error?.stage == "request")
    }
}
