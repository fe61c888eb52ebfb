// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

@testable import WebSocket

/// Random URLs, composed of parts on which parsers disagree.
@Suite(.inTurn) struct DialProperties {
    private static func isPrintableASCII(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21..<0x7F).contains($0) } }

    /// Foundation reads URLs by RFC 3986. An accepted URL has the same parts as in Foundation.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func acceptedURLReadsAsFoundationReadsIt(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var acceptedCount = 0
        for _ in 0..<5000 {
            let text = (random.oneIn(2) ? "ws://" : "wss://") + RandomURL.text(&random)
            guard let url = try? WebSocketURL(text) else { continue }
            acceptedCount += 1
            let other = try #require(URLComponents(string: text), "\(text)")
            guard case .network(let host, let port) = url.location else {
                Issue.record("\(text) is no address of a network")
                continue
            }
            #expect(other.percentEncodedHost?.lowercased() == Self.written(host), "\(text)")
            #expect(other.port ?? (url.isSecure ? 443 : 80) == Int(port), "\(text)")
            let path = other.percentEncodedPath.isEmpty ? "/" : other.percentEncodedPath
            #expect(url.target == path + (other.percentEncodedQuery.map { "?" + $0 } ?? ""), "\(text)")
            #expect(url.credentials?.user ?? "" == other.user ?? "", "\(text)")
            #expect(url.credentials?.password ?? "" == other.password ?? "", "\(text)")
            #expect(Self.isPrintableASCII(url.description), "\(text)")
        }
        #expect(acceptedCount > 100)
    }

    private static func written(_ host: URLHost) -> String {
        switch host {
        case .name(let name): name
        case .ipv4(let address): address
        case .ipv6(let address, let zone): "[\(address)\(zone.map { "%25" + $0 } ?? "")]"
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func refusalRepeatsNothing(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5000 {
            let text = RandomURL.text(&random)
            for url in [text, "ws://\(text)", "ws+unix:/\(text)"] {
                do {
                    let url = try WebSocketURL(url)
                    #expect(Self.isPrintableASCII(url.description), "\(text)")
                } catch {
                    #expect(!error.message.contains("hunter2") && !error.message.contains("\u{1B}"), "\(text)")
                }
            }
        }
    }
}
