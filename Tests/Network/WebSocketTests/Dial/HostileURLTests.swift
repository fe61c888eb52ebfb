// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WebSocket

/// URLs that would lead to another host than a reader or another parser expects.
@Suite(.inTurn) struct HostileURLTests {
    private func fault(of url: String) -> WebSocketError? {
        #expect(throws: WebSocketError.self) { try WebSocketURL(url) }
    }

    /// Defect 23: the first of these dialled `evil`.
    @Test(arguments: [
        "ws://127.0.0.1:1\\@evil/", "ws://127.0.0.1:1@trusted@evil/", "ws://a@b@h", "wss://user:p@ss@h/",
        "ws://@@h/", "ws://us[er@h/", "ws://u\"@h", "ws://u<p>@h", "ws://u|@h", "ws://u^@h", "ws://u`@h", "ws://u{}@h",
        "ws://u%4@h", "ws://u%@h",
    ])
    func byteThatAnAuthorityMayNotHoldIsRefused(_ url: String) {
        #expect(fault(of: url)?.code == .invalidURL)
    }

    /// Defect 23.
    @Test(arguments: [
        "ws://h/a\\b", "ws://h/<>", "ws://h/\"", "ws://h/{}", "ws://h/a|b", "ws://h/^", "ws://h/`", "ws://h?a[]=b",
        "ws://h/[", "ws://h/%", "ws://h/%4", "ws://h/%4g", "ws://h?%zz", "ws+unix:/a\\b", "ws+unix:/a[b]",
        "ws+unix:/a:/%4", "ws+unix:/a:?[]",
    ])
    func byteThatATargetMayNotHoldIsRefused(_ url: String) {
        #expect(fault(of: url)?.code == .invalidURL)
    }

    /// Defect 23.
    @Test(arguments: ["ws://.example.com", "ws://.", "ws://..", "ws://a..b", "ws://a..", "ws://.a@.b", "wss://..h:1"])
    func emptyLabelIsRefused(_ url: String) {
        #expect(fault(of: url)?.code == .invalidURL)
    }

    /// The resolver reads these as 127.0.0.1 and other addresses; code that checks a URL's host does not.
    @Test(arguments: [
        "127.1", "127.0.1", "2130706433", "0x7f000001", "0X7F.0.0.1", "0177.0.0.1", "127.0.0.01", "127.0.0.1.", "1",
        "127.0.0.0x1", "0x", "1.2.3.4.5", "256.1.1.1", "example.0x7f", "example.1", "example.1.",
    ])
    func numberThatIsNoIPv4AddressIsRefused(_ host: String) {
        #expect(fault(of: "ws://\(host)/")?.message.contains("number") == true)
    }

    @Test(arguments: ["h1", "1a", "7.example", "0xg", "a.0xg", "x0x1", "1-2", "1_2", "1.2.3.4a", "xn--1"])
    func nameWithDigitsIsTaken(_ host: String) throws {
        #expect(try WebSocketURL("ws://\(host)/").location == .network(host: .name(host), port: 80))
    }

    @Test func everyCharacterOfRFC3986IsTaken() throws {
        let target = "/az-AZ.09_~!$&'()*+,;=:@%2F/?/?:@%5B%5d"
        #expect(try WebSocketURL("ws://h\(target)").target == target)
        let user = try WebSocketURL("ws://az-AZ.09_~!$&'()*+,;=:p:%40@h").credentials
        #expect(user == BasicCredentials(user: "az-AZ.09_~!$&'()*+,;=", password: "p:@"))
    }

    @Test func byteAndItsEncodingAreNamed() {
        #expect(fault(of: "ws://h/\\")?.message.contains("0x5C (\\), which must be percent-encoded as %5C") == true)
        let escape = fault(of: "ws://h/\u{1B}[31m")
        #expect(escape?.message.contains("0x1B, ") == true && escape?.message.contains("\u{1B}") == false)
        #expect(fault(of: "ws://h?a[]")?.message.contains("%5B") == true)
        #expect(fault(of: "ws://a@b@h")?.message.contains("%40") == true)
    }

    /// Defect 22.
    @Test(arguments: [
        "ws://user:secret@h@x", "ws://user:secret@h\\", "ws://user:sec%ret@h", "ws://user:secret@h:x",
        "wss://user:secret%0d@h", "http://user:secret@h", "ws://user:secret@.h", "ws://user:secret@127.1",
        "ws://secret@[::1",
    ])
    func passwordIsNotTold(_ url: String) {
        #expect(fault(of: url)?.description.contains("secret") == false)
    }

    /// A decoded line feed or escape in a socket's path would reach a log.
    @Test func descriptionOfASocketsPathIsEncoded() throws {
        let url = try WebSocketURL("wss+unix:/a%0Ab%1B%5B31m%3A%F0%9F%99%82:/t")
        #expect(url.description == "wss+unix:/a%0Ab%1B%5B31m%3A%F0%9F%99%82:/t")
        #expect(try WebSocketURL(url.description) == url)
    }
}
