// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import TestSupport
import TestTurns
import Testing

/// The parts that URLs of HTTP and of WebSockets share. Comments name what only one of the two allows.
@Suite("Syntax of URLs", .inTurn)
struct URLSyntaxTests {
    @Test(arguments: [
        ("http", true), ("ws+unix", true), ("a1-.", true), ("", false), ("1http", false), ("+a", false),
        ("a b", false), ("é", false), ("a_b", false), ("a:", false),
    ])
    func schemesBeginWithALetter(_ text: String, _ isScheme: Bool) {
        #expect(URLSyntax.isScheme(text[...]) == isScheme)
    }

    @Test(arguments: [("1", 1), ("0080", 80), ("65535", 65535)] as [(String, UInt16)])
    func portsAreRead(_ text: String, _ port: UInt16) {
        #expect(URLSyntax.port(text[...]) == port)
    }

    @Test(arguments: ["", "0", "65536", "18446744073709551617", "+1", "-1", " 1", "1x", "٣"])
    func otherPortsAreRefused(_ text: String) {
        #expect(URLSyntax.port(text[...]) == nil)
    }

    @Test(arguments: ["0.0.0.0", "127.0.0.1", "255.255.255.255"])
    func addressesOfFourNumbersAreTaken(_ text: String) {
        #expect(URLSyntax.isIPv4Address(text[...]))
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "1..2.3", "256.1.1.1", "1.2.3.04", "00.0.0.0", "1.2.3.4.",
        "1.2.3.a", "0x1.2.3.4", "1.2.3.+4", "1.2.3.99999999999999999999", "1.2.3.4\0", "1.2.3.4\0a", "1.2.3.4 ",
    ])
    func otherNumbersAreRefused(_ text: String) {
        #expect(!URLSyntax.isIPv4Address(text[...]))
    }

    @Test(arguments: [
        "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3::5:6:7:8", "fe80::1",
        "FFFF::0000", "::1.2.3.4", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1::4:5:6:1.2.3.4",
    ])
    func addressesOfEightGroupsAreTaken(_ text: String) {
        #expect(URLSyntax.isIPv6Address(text[...]))
    }

    @Test(arguments: [
        "", ":", ":::", "1", "1:", ":1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "1:2:3:4:5:6:7:8:9",
        "1:2:3:4::5:6:7:8", "::1::", "1:::2", "::1:", "12345::", "::g", "::-1", "1.2.3.4", "::1.2.3", "::1.2.3.4:5",
        "::1.2.3.04", "1:2:3:4:5:6:7:1.2.3.4", "::1%25a", "[::1]", "::é", "::1\0", "::1\0a", "::00001", "::1 ",
    ])
    func otherGroupsAreRefused(_ text: String) {
        #expect(!URLSyntax.isIPv6Address(text[...]))
    }

    /// RFC 6874 allows escapes, too. They are refused, because they could hide a delimiter.
    @Test(arguments: [
        ("%25eth0", true), ("%25a-._~", true), ("", false), ("%25", false), ("%eth0", false), ("eth0", false),
        ("%25a%2Fb", false), ("%25a b", false), ("%25é", false),
    ])
    func zonesHaveUnreservedCharacters(_ text: String, _ isZone: Bool) {
        #expect(URLSyntax.isZone(text[...]) == isZone)
    }

    /// A URL of a WebSocket and the target of a redirect have no such hosts. The base URL of a program can have them.
    @Test(
        arguments: [
            ("h", nil), ("example.com.", nil), ("127.0.0.1", nil), ("[::1.2.3.4]", nil), ("1.2.3.4a", nil),
            ("0xg", nil), ("", .emptyLabel), (".", .emptyLabel), (".h", .emptyLabel), ("a..b", .emptyLabel),
            ("a..", .emptyLabel), ("1", .number), ("127.1", .number), ("0x7f000001", .number), ("0X", .number),
            ("127.0.0.1.", .number), ("example.1", .number), ("0177.0.0.1", .number),
        ] as [(String, URLSyntax.NameFault?)])
    func namesThatMisleadAreFound(_ name: String, _ fault: URLSyntax.NameFault?) {
        #expect(URLSyntax.nameFault(in: name[...]) == fault)
    }

    @Test(
        arguments: [
            ("h", nil, "h", nil), ("h:", nil, "h", ""), ("u:p@h:1", "u:p", "h", "1"), ("u@[::1]:2", "u", "[::1]", "2"),
            ("[::1]", nil, "[::1]", nil), ("", nil, "", nil), ("@", "", "", nil), ("a@b@h", "a@b", "h", nil),
            ("[::1", nil, "[", ":1"), ("[::1]x:1", nil, "[::1]x", "1"), ("h:1:2", nil, "h", "1:2"),
        ] as [(String, Substring?, Substring, Substring?)])
    func authoritiesAreDivided(_ text: String, _ user: Substring?, _ host: Substring, _ port: Substring?) {
        let parts = AuthorityParts(text[...])
        #expect(parts.userInformation == user && parts.host == host && parts.port == port)
    }

    @Test(
        arguments: [
            ("a%20b", "a b"), ("%c3%B6", "ö"), ("", ""), ("ö%2f", "ö/"), ("%00", "\0"), ("+", "+"), ("%", nil),
            ("%4", nil), ("%zz", nil), ("%+1", nil), ("%C3", nil), ("%ff", nil), ("%%41", nil),
        ] as [(String, String?)])
    func escapesAreDecoded(_ text: String, _ decoded: String?) {
        #expect(String(percentEncoded: text[...]) == decoded)
        #expect(PercentEncoding.isWellFormed(text[...]) == (decoded != nil || ["%C3", "%ff"].contains(text)))
    }

    @Test func encodedTextIsDecodedAgain() {
        var random = SeededGenerator(seed: 3)
        let sets: [ASCIISet] = [.unreserved, .socketPath, .query]
        for _ in 0..<200 {
            let scalars = (0..<8).map { _ in Unicode.Scalar(UInt8.random(in: 0...255, using: &random)) }
            let text = String(String.UnicodeScalarView(scalars))
            for set in sets {
                let encoded = PercentEncoding.encoded(text, keeping: set)
                #expect(String(percentEncoded: encoded[...]) == text)
                #expect(encoded.utf8.allSatisfy { set.contains($0) || $0 == UInt8(ascii: "%") })
            }
        }
    }
}
