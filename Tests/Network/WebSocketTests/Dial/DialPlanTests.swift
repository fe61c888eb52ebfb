// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import Sockets
@testable import WebSocket

@Suite(.inTurn) struct DialPlanTests {
    private let none = ProxyEnvironment { _ in nil }

    @Test func directPlanHasAllOfTheURL() throws {
        let plan = try DialPlan(
            url: WebSocketURL("wss://user:pass@example.com:8443/rpc?x"),
            headerFields: [WebSocketHeaderField("X-A", " b ")],
            origin: "https://example.com", subprotocols: ["a", "b"], environment: none)
        #expect(plan.route == .direct(host: .name("example.com"), port: 8443))
        #expect(plan.target == "/rpc?x")
        #expect(plan.hostField == "example.com:8443")
        #expect(plan.origin == "https://example.com")
        #expect(plan.subprotocols == ["a", "b"])
        #expect(
            plan.headerFields == [
                WebSocketHeaderField("X-A", "b"), WebSocketHeaderField("Authorization", "Basic dXNlcjpwYXNz"),
            ])
        #expect(plan.tls?.serverName == .name("example.com"))
    }

    @Test func givenAuthorizationTakesPrecedence() throws {
        let plan = try DialPlan(
            url: WebSocketURL("ws://user:pass@h"), headerFields: [WebSocketHeaderField("authorization", "Bearer t")],
            environment: none)
        #expect(plan.headerFields == [WebSocketHeaderField("authorization", "Bearer t")])
    }

    @Test func proxyIsOnTheRoute() throws {
        let url = try WebSocketURL("ws://[::1]:81/")
        let plan = try DialPlan(url: url, proxy: .http("p:3128"), environment: none)
        #expect(plan.route == .proxy(try HTTPProxy("p:3128"), host: .ipv6("::1", zone: nil), port: 81))
        #expect(plan.tls == nil)
    }

    @Test func unixSocketIsNeverProxied() throws {
        let url = try WebSocketURL("wss+unix:/s")
        let plan = try DialPlan(url: url, proxy: .http("p:3128"), environment: ProxyEnvironment { _ in "p:1" })
        #expect(plan.route == .unixSocket(path: "/s"))
        #expect(plan.tls?.serverName == .name("localhost"))
    }

    @Test(arguments: [
        ("wss://example.com.", nil, URLHost.name("example.com")), ("wss://127.0.0.1", nil, .ipv4("127.0.0.1")),
        ("wss://[::1]", nil, .ipv6("::1", zone: nil)), ("wss://[fe80::1%25lo]", nil, .ipv6("fe80::1", zone: nil)),
        ("wss://127.0.0.1", "example.com", .name("example.com")), ("wss://h", "::1", .ipv6("::1", zone: nil)),
        ("wss+unix:/s", "h", .name("h")),
    ])
    func serverNameIsChosen(_ url: String, _ given: String?, _ expected: URLHost) throws {
        let tls = TLSConfiguration(serverName: given)
        let plan = try DialPlan(url: WebSocketURL(url), proxy: .none, tls: tls, environment: none)
        #expect(plan.tls?.serverName == expected)
    }

    /// Defect 23: OpenSSL treats a leading dot as "any name below".
    @Test(arguments: [
        "a b", "", ".example.com", ".", "*.example.com", "example..com", "example.com..", "127.1", "h:443", "a\0b", "ä",
        "1.2.3.4.",
    ])
    func unusableServerNameIsRefused(_ name: String) throws {
        let url = try WebSocketURL("wss://h")
        let error = #expect(throws: WebSocketError.self) {
            try DialPlan(url: url, tls: TLSConfiguration(serverName: name), environment: none)
        }
        #expect(error?.code == .invalidConfiguration)
    }

    /// Defect 22: a name that is not a token may be a line of the form "name: value", with a secret in it.
    @Test func fieldThatHasNoNameIsNotRepeated() throws {
        let error = #expect(throws: WebSocketError.self) {
            try WebSocketHeaderField("Authorization: Bearer secret\u{1B}", "").validated()
        }
        #expect(error?.message.contains("\"Authorization\"") == true)
        #expect(error?.message.contains("secret") == false)
    }

    @Test(arguments: [
        ("", "v"), ("a b", "v"), ("a:", "v"), ("a\r\n", "v"), ("ä", "v"), ("a\0", "v"), ("X", "a\r\nY: b"),
        ("X", "a\nb"),
        ("X", "a\0b"), ("X", "a\u{7F}"), ("X", "\u{1}"), ("Host", "h"), ("upgrade", "x"), ("Connection", "x"),
        ("SEC-WebSocket-Key", "x"), ("Sec-WebSocket-Protocol", "x"), ("Content-Length", "1"),
        ("Transfer-Encoding", "x"),
    ])
    func unusableFieldIsRefused(_ name: String, _ value: String) throws {
        let url = try WebSocketURL("ws://h")
        let error = #expect(throws: WebSocketError.self) {
            try DialPlan(url: url, headerFields: [WebSocketHeaderField(name, value)], environment: none)
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("Y: b") == false)
    }

    @Test func valueMayHaveTabsAndOtherLanguages() throws {
        let field = try WebSocketHeaderField("X", " a\tb ö ").validated()
        #expect(field.value == "a\tb ö")
    }

    /// Defect 22: the description of a configuration contains no password.
    @Test func descriptionOfAConfigurationHasNoPassword() {
        var configuration = WebSocketConfiguration()
        configuration.proxy = .http("http://user:secret@h:3128")
        #expect(!"\(configuration)".contains("secret") && !String(reflecting: configuration).contains("secret"))
    }

    @Test func originIsChecked() throws {
        let url = try WebSocketURL("ws://h")
        #expect(throws: WebSocketError.self) { try DialPlan(url: url, origin: "a\r\nb", environment: none) }
        #expect(throws: WebSocketError.self) {
            try DialPlan(url: url, headerFields: [WebSocketHeaderField("ORIGIN", "a")], origin: "b", environment: none)
        }
    }

    @Test(arguments: [["a b"], [""], ["a,b"], ["a", "a"], ["ä"], ["a\r\n"]])
    func unusableSubprotocolsAreRefused(_ names: [String]) throws {
        let url = try WebSocketURL("ws://h")
        let error = #expect(throws: WebSocketError.self) {
            try DialPlan(url: url, subprotocols: names, environment: none)
        }
        #expect(error?.code == .invalidConfiguration)
    }
}
