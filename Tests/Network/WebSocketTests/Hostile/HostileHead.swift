// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// The head of an opening handshake, changed by a seed.
struct HostileHead: Sendable {
    /// The required reaction of the reader.
    enum Verdict: Sendable {
        /// The head is valid, or its fault does not matter.
        case accepted
        case refused
        case unknown
    }

    private(set) var verdict = Verdict.accepted
    /// The parameters of permessage-deflate that the peer names, if they are valid.
    private(set) var forgets = false
    private let change: Change
    private var random: SeededGenerator
    private var extensionFields: [String] = []

    private enum Change: CaseIterable, Sendable {
        case flips, doubledLine, droppedLine, cut, hugeField, manyFields, noise, bareLineFeeds, foldedLine
    }

    /// - Parameters:
    ///   - isAnswer: Whether the head is that of a server.
    ///   - deflates: Whether the other side uses compression.
    init(random: inout SeededGenerator, isAnswer: Bool, deflates: Bool) {
        let isChanged = random.oneIn(3)
        change = Change.allCases[Int.random(in: 0..<Change.allCases.count, using: &random)]
        self.random = SeededGenerator(seed: random.next())
        if !isChanged { isRight = true }
        chooseExtensions(isAnswer: isAnswer, deflates: deflates, &random)
        if isChanged { verdict = Self.verdict(on: change) }
    }

    private var isRight = false

    private static func verdict(on change: Change) -> Verdict {
        switch change {
        case .hugeField, .manyFields, .noise, .foldedLine: .refused
        case .flips, .doubledLine, .droppedLine, .cut, .bareLineFeeds: .unknown
        }
    }

    // MARK: Extensions

    private mutating func chooseExtensions(isAnswer: Bool, deflates: Bool, _ random: inout SeededGenerator) {
        let right = isAnswer ? Self.answers : Self.offers
        let odd = isAnswer ? Self.oddAnswers : Self.oddOffers
        guard deflates else {
            // A client refuses an extension that it did not offer; a server ignores unknown extensions.
            if random.oneIn(8) {
                extensionFields = ["permessage-deflate"]
                if isAnswer { verdict = .refused }
            }
            return
        }
        if random.oneIn(6) {
            extensionFields = odd[Int.random(in: 0..<odd.count, using: &random)]
            verdict = isAnswer ? .refused : .unknown
        } else {
            extensionFields = [right[Int.random(in: 0..<right.count, using: &random)]]
            forgets = extensionFields[0].contains(isAnswer ? "server_no_context" : "client_no_context")
        }
    }

    private static let answers = [
        "permessage-deflate", "permessage-deflate; server_no_context_takeover",
        "permessage-deflate; client_no_context_takeover; server_no_context_takeover",
        "permessage-deflate;server_max_window_bits=15", "permessage-deflate ; server_max_window_bits=\"12\"",
        "permessage-deflate; client_max_window_bits=15",
    ]
    /// Number 1: an extension named twice, in one field or two, and parameters that were not offered.
    private static let oddAnswers = [
        ["permessage-deflate, permessage-deflate"], ["permessage-deflate", "permessage-deflate"],
        ["permessage-deflate; client_max_window_bits"], ["permessage-deflate; server_max_window_bits"],
        ["permessage-deflate; server_max_window_bits=7"], ["permessage-deflate; server_max_window_bits=16"],
        ["permessage-deflate; server_max_window_bits=99999999999999999999"], ["permessage-deflate; unknown=1"],
        ["permessage-deflate; server_no_context_takeover; server_no_context_takeover"], ["x-webkit-deflate-frame"],
        ["permessage-deflate; server_no_context_takeover=1"], ["permessage-deflate;"], ["; = ;"],
    ]
    private static let offers = [
        "permessage-deflate", "permessage-deflate; client_max_window_bits",
        "permessage-deflate; client_no_context_takeover; client_max_window_bits=12",
        "unknown, permessage-deflate; server_max_window_bits=9", "permessage-deflate; server_no_context_takeover",
        "permessage-deflate; unknown, permessage-deflate; client_no_context_takeover",
    ]
    private static let oddOffers = [
        ["permessage-deflate, permessage-deflate"], ["permessage-deflate; server_max_window_bits=7"],
        ["permessage-deflate; client_max_window_bits=0"], ["permessage-deflate;;"], [",,,;=,"],
        ["permessage-deflate; client_max_window_bits; client_max_window_bits"], ["permessage-deflate; \u{FF1B}=\"\""],
    ]

    // MARK: Bytes

    /// A server's answer to a request.
    func answer(to request: String) throws -> [UInt8] {
        var generator = random
        let fields = extensionFields.map { "Sec-WebSocket-Extensions: \($0)" }
        var bytes: [UInt8] = []
        if generator.oneIn(5) {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes += Array("HTTP/1.1 \([100, 102, 103][bytes.count % 3]) Wait\r\nX-Try: 1\r\n\r\n".utf8)
            }
        }
        return changed(bytes + Array(try RawSocket.upgradeAnswer(to: request, adding: fields).utf8), &generator)
    }

    /// A client's request.
    func request(for target: String) -> [UInt8] {
        var generator = random
        let lines =
            [
                "GET \(target) HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
            ] + extensionFields.map { "Sec-WebSocket-Extensions: \($0)" }
        return changed(Array((lines + ["", ""]).joined(separator: "\r\n").utf8), &generator)
    }

    private func changed(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        guard !isRight else { return bytes }
        switch change {
        case .flips: return flipped(bytes, &random)
        case .cut: return Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
        case .noise: return [0] + (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
        case .bareLineFeeds: return bytes.filter { $0 != 13 }
        default: return changedLines(bytes, &random)
        }
    }

    private func flipped(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        return bytes
    }

    private func changedLines(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        let place = Int.random(in: 0..<(lines.count - 2), using: &random)
        switch change {
        case .doubledLine: lines.insert(lines[place], at: place)
        case .droppedLine: lines.remove(at: place)
        case .foldedLine: lines.insert(" folded: yes", at: 1)
        case .manyFields: lines.insert(contentsOf: [String](repeating: "X: y", count: 3000), at: 1)
        default: lines.insert("X-Huge: " + String(repeating: "x", count: 17_000), at: place + 1)
        }
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
