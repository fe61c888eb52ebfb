// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import TestTurns
import Testing

@testable import JSONRPCHTTP

@Suite(.inTurn)
struct EndpointTests {
    @Test(arguments: [
        ("http://a", "http", "a", "/"),
        ("HTTPS://Example.test:443/", "https", "Example.test:443", "/"),
        ("http://127.0.0.1:6800/jsonrpc", "http", "127.0.0.1:6800", "/jsonrpc"),
        ("http://[::1]:80/rpc?key=v&x=%20#part", "http", "[::1]:80", "/rpc?key=v&x=%20"),
        ("http://[::1]", "http", "[::1]", "/"),
        ("http://a?x=1", "http", "a", "/?x=1"),
        ("http://a//b", "http", "a", "//b"),
    ])
    func aURLIsSplit(url: String, scheme: String, authority: String, path: String) throws {
        let head = try HTTPRequest(postURL: url)
        #expect(head.method == .post)
        #expect(head.scheme == scheme)
        #expect(head.authority == authority)
        #expect(head.path == path)
    }

    @Test(arguments: [
        "", "a", "//a/", "/a", "http", "http:", "http:/a", "http://", "http:///a", "http://?x", "ws://a", "ftp://a",
        "http://u:p@a/", "http://a:b/", "http://a:65536/", "http://a:-1/", "http://a:+80/", "http://:80/", "http://a b",
        "http://a/\r\nX: y", "http://a/\u{0}", "http://ä/", "http://[::1/", "http://::1/", "http://[]/", "http://a/<b>",
    ])
    func otherTextsAreRefused(url: String) {
        #expect(throws: JSONRPCHTTPError.self) { try HTTPRequest(postURL: url) }
    }
}
