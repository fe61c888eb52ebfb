// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import TestSupport
import TestTurns
import Testing
import URLSessionTransport

/// The table of answers, over each transport.
@Suite("Answers of a server", .inTurn(within: .seconds(60)))
struct AnswerTests {
    struct Exchange: Sendable, CustomTestStringConvertible {
        var transport: TransportUnderTest
        var answer: AnswerCase
        var testDescription: String { "\(transport): \(answer.name)" }
    }

    static let exchanges = TransportUnderTest.allCases.flatMap { transport in
        AnswerCase.all
            .filter { !($0.trapsURLSession && transport == .urlSession) }
            .map { Exchange(transport: transport, answer: $0) }
    }

    static func server(_ answer: AnswerCase) throws -> RawHTTPServer {
        try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            // The client may have closed the connection before the answer is complete.
            try? answer.send(on: connection.socket)
        }
    }

    @Test(arguments: exchanges)
    func answerHasItsOutcome(_ exchange: Exchange) async throws {
        let server = try Self.server(exchange.answer)
        let outcome = try await exchange.transport.run { transport in
            try await transport.outcome(.to(server.authority, "/", exchange.answer.method))
        }
        let expected = exchange.answer.expectedOutcomes(of: exchange.transport)
        #expect(expected.contains(outcome), "\(exchange.testDescription): \(outcome)")
        #expect(server.heads.elements.count == 1)
    }

    /// These are faults of Foundation that other code cannot prevent. `URLSessionTransport` documents them.
    @Test(.startsProcess, arguments: AnswerCase.all.filter(\.trapsURLSession))
    func urlSessionEndsTheProcess(_ answer: AnswerCase) async {
        await #expect(processExitsWith: .failure) { [name = answer.name as String] in
            guard let answer = AnswerCase.all.first(where: { $0.name == name }) else { return }
            let server = try AnswerTests.server(answer)
            _ = try await URLSessionTransport().outcome(.to(server.authority, "/", answer.method))
        }
    }
}
