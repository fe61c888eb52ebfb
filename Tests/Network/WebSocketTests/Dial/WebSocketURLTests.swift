// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn) struct WebSocketURLTests {
    @Test(arguments: [
        ("ws://example.com", false, "example.com", 80, "/", "example.com"),
        ("WSS://Example.COM", true, "example.com", 443, "/", "example.com"),
        ("ws://example.com:80/a", false, "example.com", 80, "/a", "example.com"),
        ("wss://example.com:80/a", true, "example.com", 80, "/a", "example.com:80"),
        ("ws://example.com:", false, "example.com", 80, "/", "example.com"),
        ("ws://h:6800/jsonrpc?a=b&c=%20/?", false, "h", 6800, "/jsonrpc?a=b&c=%20/?", "h:6800"),
        ("ws://h?x", false, "h", 80, "/?x", "h"),
        ("wss://my_host.example./p", true, "my_host.example.", 443, "/p", "my_host.example."),
    ])
    func nameIsRead(
        _ text: String, _ isSecure: Bool, _ host: String, _ port: Int, _ target: String, _ hostField: String
    ) throws {
        let url = try WebSocketURL(text)
        #expect(url.isSecure == isSecure)
        #expect(url.location == .network(host: .name(host), port: UInt16(port)))
        #expect(url.target == target)
        #expect(url.hostField == hostField)
        #expect(url.credentials == nil)
    }

    @Test func addressesAreTold() throws {
        let v4 = try WebSocketURL("ws://127.0.0.1:8080/")
        #expect(v4.location == .network(host: .ipv4("127.0.0.1"), port: 8080))
        let v6 = try WebSocketURL("wss://[::1]:8443/x")
        #expect(v6.location == .network(host: .ipv6("::1", zone: nil), port: 8443))
        #expect(v6.hostField == "[::1]:8443")
        let linkLocal = try WebSocketURL("ws://[fe80::1%25eth0]/")
        #expect(linkLocal.location == .network(host: .ipv6("fe80::1", zone: "eth0"), port: 80))
        #expect(linkLocal.hostField == "[fe80::1]")
        // RFC 6874 allows all unreserved characters in a zone.
        let tilde = try WebSocketURL("ws://[fe80::1%25a~b]/")
        #expect(tilde.location == .network(host: .ipv6("fe80::1", zone: "a~b"), port: 80))
    }

    @Test func credentialsAreDecoded() throws {
        let url = try WebSocketURL("ws://us%40er:p%3A%2Fw%C3%B6@h:1/")
        #expect(url.credentials == BasicCredentials(user: "us@er", password: "p:/wö"))
        #expect(url.location == .network(host: .name("h"), port: 1))
        #expect(!url.description.contains("us") && url.description == "ws://h:1/")
        #expect(try WebSocketURL("ws://user@h").credentials == BasicCredentials(user: "user", password: ""))
        #expect(try WebSocketURL("ws://a%40b@h").credentials == BasicCredentials(user: "a@b", password: ""))
    }

    // The examples of RFC 7617 §2 and §2.1.
    @Test(arguments: [
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123£", "Basic dGVzdDoxMjPCow=="),
        ("", "", "Basic Og=="), ("a", "b", "Basic YTpi"),
    ])
    func credentialsAreEncoded(_ user: String, _ password: String, _ value: String) {
        #expect(BasicCredentials(user: user, password: password)?.fieldValue == value)
    }

    @Test(arguments: [
        ("ws+unix:/run/s.sock", false, "/run/s.sock", "/"), ("ws+unix:///run/s.sock", false, "/run/s.sock", "/"),
        ("ws+unix:/run/s.sock:/rpc?a=b", false, "/run/s.sock", "/rpc?a=b"),
        ("wss+unix:/run/a%20b%3A:?x", true, "/run/a b:", "/?x"),
    ])
    func unixSocketIsRead(_ text: String, _ isSecure: Bool, _ path: String, _ target: String) throws {
        let url = try WebSocketURL(text)
        #expect(url.isSecure == isSecure)
        #expect(url.location == .unixSocket(path: path))
        #expect(url.target == target)
        #expect(url.hostField == "localhost")
    }

    @Test(arguments: [
        "", "example.com", "http://h/", "ws:/h", "ws:h", "ws://", "ws:///path", "ws://:80/", "ws://h:0", "ws://h:65536",
        "ws://h:-1", "ws://h:+1", "ws://h:8x", "ws://h/#f", "ws://h#", "ws://h /", "ws://h/a b", "ws://h/\r\nX: y",
        "ws://h\n", "ws://h/\0", "ws://h/ö", "ws://hö/", "ws://h%41/", "ws://[::1", "ws://[::1]x", "ws://[1.2.3.4]",
        "ws://[::g]", "ws://[]", "ws://[fe80::1%eth0]", "ws://[fe80::1%25]", "ws://[fe80::1%25a%2Fb]", "ws://::1/",
        "ws://h\\x/", "ws://.",
        "ws://us%zz@h", "ws://us%4@h", "ws://us%ff@h", "ws://us%0d:x@h", "ws://us%3Aer@h", "ws+unix:relative",
        "ws+unix:", "ws+unix://host/path", "ws+unix:/a%00b", "ws+unix:/a:b", "ws+unix:/a?b:/c", "ws+unix:/%",
    ])
    func unusableIsRefused(_ text: String) {
        let error = #expect(throws: WebSocketError.self) { try WebSocketURL(text) }
        #expect(error?.code == .invalidURL)
    }

    @Test func longestNameIsTaken() throws {
        let longest = String(repeating: "a", count: 253)
        #expect(try WebSocketURL("ws://\(longest)/").hostField == longest)
        #expect(throws: WebSocketError.self) { try WebSocketURL("ws://\(longest)a/") }
    }

    @Test func longestSocketPathIsTaken() throws {
        let longest = "/" + String(repeating: "a", count: 106)
        #expect(try WebSocketURL("ws+unix:\(longest)").location == .unixSocket(path: longest))
        #expect(throws: WebSocketError.self) { try WebSocketURL("ws+unix:\(longest)a") }
    }
}
