// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

@testable import Sockets

/// Random proxies, exemptions and answers of proxies.
@Suite(.inTurn) struct ProxyProperties {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func refusalRepeatsNothing(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5000 {
            let text = RandomURL.text(&random)
            do {
                let proxy = try HTTPProxy(text)
                #expect(proxy.port > 0)
            } catch {
                #expect(!error.message.contains("hunter2") && !error.message.contains("\u{1B}"), "\(text)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func exemptionOfAnyTextIsJudged(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let hosts = try ["example.com", "127.0.0.1", "[::1]"].map { try URLHost($0[...]) }
        for _ in 0..<5000 {
            guard let exemption = ProxyExemption(RandomURL.text(&random, upTo: 4)) else { continue }
            // If one port is covered and another is not, the entry names that port.
            for host in hosts where exemption.covers(host, port: 80) != exemption.covers(host, port: 81) {
                #expect(exemption.covers(host, port: 80) && !exemption.covers(host, port: 1))
            }
        }
    }

    /// The outcome does not depend on how the bytes of an answer are cut into pieces.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func answerReadsTheSameInPieces(_ seed: UInt64) {
        let parts = [
            "HTTP/1.1 ", "HTTP/1.0 ", "HTTP/", "200", "100", "103", "101", "407", " OK", "\r\n", "\r\n", "\n", "\r",
            "\r\n\r\n",
            "X: y", "\0", " ", "\u{1B}", "HTTP/1.1 100 Continue\r\n\r\n", "200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n",
        ]
        var random = SeededGenerator(seed: seed)
        var answerCount = 0
        for _ in 0..<5000 {
            let count = Int.random(in: 1...8, using: &random)
            let text = "HTTP/1.1 " + (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            let bytes = Array(text.utf8)
            let whole = Self.outcome(of: [bytes[...]])
            var pieces: [ArraySlice<UInt8>] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let length = Int.random(in: 1...5, using: &random)
                pieces.append(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
            #expect(Self.outcome(of: pieces) == whole, "\(text.debugDescription)")
            if whole.status != nil { answerCount += 1 }
        }
        #expect(answerCount > 100)
    }

    private struct Outcome: Equatable {
        var status: Int?
        var phrase: [UInt8]?
        /// The number of bytes that belong to the answer.
        var count = 0
        var isRefused = false
    }

    private static func outcome(of pieces: [ArraySlice<UInt8>]) -> Outcome {
        var reader = ProxyAnswerReader()
        var outcome = Outcome()
        for piece in pieces {
            do {
                let (count, answer) = try reader.read(piece)
                outcome.count += count
                guard let answer else { continue }
                (outcome.status, outcome.phrase) = (answer.status, answer.phrase)
                return outcome
            } catch {
                // The bytes before the wrong one may or may not be counted.
                return Outcome(isRefused: true)
            }
        }
        return outcome
    }
}
