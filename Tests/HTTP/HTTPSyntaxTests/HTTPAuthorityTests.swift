// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import TestTurns
import Testing

@Suite(.inTurn) struct HTTPAuthorityTests {
    @Test(
        arguments: [
            ("a", "a", nil), ("Example.test:443", "Example.test", 443), ("127.0.0.1:1", "127.0.0.1", 1),
            ("127.0.0.1:65535", "127.0.0.1", 65535), ("h:", "h", nil), ("h:0080", "h", 80), ("[::1]", "[::1]", nil),
            ("[::1]:80", "[::1]", 80), ("[::ffff:1.2.3.4]:80", "[::ffff:1.2.3.4]", 80),
            ("[fe80::1%25eth0]:80", "[fe80::1%25eth0]", 80), ("%2Frun%2Fa.sock", "%2Frun%2Fa.sock", nil),
            ("a_b-c~!$&'()*+,;=", "a_b-c~!$&'()*+,;=", nil),
        ] as [(String, String, UInt16?)])
    func aHostAndItsPortAreRead(_ text: String, _ host: String, _ port: UInt16?) throws {
        let authority = try #require(HTTPAuthority(text))
        #expect(authority.host == host)
        #expect(authority.port == port)
        #expect(HTTPAuthority.isValid(text))
    }

    @Test(arguments: [
        "", ":", ":80", "h:0", "h:65536", "h:99999999", "h:18446744073709551617", "h:-1", "h:+80", "h:8 0", "h:x",
        "h:80:80", "u@h", "u:p@h", "h/", "h?", "h#", "h h", "h\r\n", "\u{e9}", "h\0", "h%", "h%2", "h%zz", "[]", "[1]",
        "[::1", "::1", "[::1]80", "[::1]:65536", "[::g]", "[::1%eth0]", "[::1%25]", "[::1%25a b]", "h]", "h[",
        "[[::1]]", "[\u{301}::1]", "[::1]\u{301}", "[:]", "[1:2]", "[1.2.3.4]", "[fe80::1%25a%2Fb]", "[v1.a]",
        "[::1]x:80",
        "h\\", "<h>",
    ])
    func everyOtherTextIsRefused(_ text: String) {
        #expect(HTTPAuthority(text) == nil)
        #expect(!HTTPAuthority.isValid(text))
    }
}

@Suite(.inTurn) struct TargetEncodingTests {
    @Test(arguments: [
        ("/", "/"), ("/a%2Fb?c=%2B&d=1+2", "/a%2Fb?c=%2B&d=1+2"),
        ("/user?page[cursor]=a%2Bb%2F%3D", "/user?page%5Bcursor%5D=a%2Bb%2F%3D"), ("/a[1]/%20", "/a%5B1%5D/%20"),
        ("/?a=%zz&b=%2B", "/?a=%25zz&b=%2B"), ("/%", "/%25"), ("/%2", "/%252"),
        (
            "/?a=b|c^d`{}\"<>\\&e=%2B",
            "/?a=b%7Cc%5Ed%60%7B%7D%22%3C%3E%5C&e=%2B"
        ), ("/\u{e9}?%C3%A9", "/%C3%A9?%C3%A9"), ("", ""),
    ])
    func onlyCharactersThatNoURLHoldsAreEncoded(_ target: String, _ encoded: String) {
        #expect(PercentEncoding.target(target) == encoded)
        #expect(PercentEncoding.target(encoded) == encoded)
    }
}
