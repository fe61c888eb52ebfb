// swift-jsonrpc · SPDX-License-Identifier: MIT

import AsyncHTTPClientTransport
import Foundation
import HTTPRequests
import HTTPTypes
import TestSupport
import TestTurns
import Testing

/// The limits of decompression, and responses that are not decompressed.
@Suite("Decompression", .inTurn(within: .seconds(60)))
struct DecompressionTests {
    private static let zeros = [UInt8](Data(base64Encoded: AnswerCase.zeros) ?? Data())

    private static func server() throws -> RawHTTPServer {
        try RawHTTPServer { connection in
            while try connection.readHead() != nil {
                try connection.socket.send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(zeros.count)\r\n\r\n")
                try connection.socket.send(zeros)
            }
        }
    }

    @Test func limitsCanBeChanged() async throws {
        let server = try Self.server()
        let zeros = Outcome.response(200, String(repeating: "\0", count: 262_144))
        let expected: [(ratio: Int?, bytes: Int64?, outcome: Outcome)] = [
            (500, nil, .bodyFailure(200, .bodyTooLarge)), (1000, nil, zeros), (nil, nil, zeros),
            (nil, 262_144, zeros), (nil, 262_143, .bodyFailure(200, .bodyTooLarge)),
            (Int.max, 0, .bodyFailure(200, .bodyTooLarge)),
        ]
        for (ratio, bytes, outcome) in expected {
            let actual = try await TransportUnderTest.asyncHTTPClient.run {
                $0.decompression?.maximumRatio = ratio
                $0.decompression?.maximumBytes = bytes
            } _: {
                try await $0.outcome(.to(server.authority))
            }
            #expect(actual == outcome, "\(String(describing: ratio)) \(String(describing: bytes)): \(actual)")
        }
    }

    @Test func errorsNameTheOptions() async throws {
        let server = try Self.server()
        for (ratio, bytes, option) in [(2, Int64?.none, "maximumRatio"), (1000, 5, "maximumBytes")] {
            let error = try await TransportUnderTest.asyncHTTPClient.run {
                $0.decompression?.maximumRatio = ratio
                $0.decompression?.maximumBytes = bytes
            } _: { transport in
                await #expect(throws: HTTPTransportError.self) {
                    _ = try await transport.exchange(.to(server.authority))
                }
            }
            #expect(error?.reason.contains("`decompression.\(option)`") == true)
        }
    }

    @Test func decompressionCanBeTurnedOff() async throws {
        let server = try Self.server()
        let (coding, bytes) = try await TransportUnderTest.asyncHTTPClient.run {
            $0.decompression = nil
        } _: { transport in
            let response = try await transport.send(
                .to(server.authority), body: nil, context: HTTPRequestContext())
            return (response.head.headerFields[.contentEncoding], try await response.body.collect(upTo: 1 << 20))
        }
        #expect(coding == "gzip" && bytes == Self.zeros)
        #expect(server.heads.elements.first?.lowercased().contains("accept-encoding") == false)
    }

    /// The transport requests no other coding than the caller.
    @Test func callersAcceptEncodingIsKept() async throws {
        let server = try Self.server()
        var request = HTTPRequest.to(server.authority)
        request.headerFields[.acceptEncoding] = "identity"
        _ = try await TransportUnderTest.asyncHTTPClient.run { try await $0.outcome(request) }
        #expect(server.heads.elements.first?.lowercased().contains("\r\naccept-encoding: identity\r\n") == true)
    }
}
