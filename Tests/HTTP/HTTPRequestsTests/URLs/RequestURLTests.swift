// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPTypes
import TestTurns
import Testing

@Suite("Request URLs", .inTurn)
struct RequestURLTests {
    /// A base, and the URL that it makes with each of ``paths``.
    static let matrix: [(base: String, urls: [String])] = [
        (
            "https://example.com",
            [
                "https://example.com", "https://example.com/", "https://example.com/foo", "https://example.com/foo",
                "https://example.com/foo/", "https://example.com/foo/bar", "https://example.com/foo/bar",
                "https://example.com/foo/bar/", "https://example.com/foo//bar//",
            ]
        ),
        (
            "https://example.com/",
            [
                "https://example.com/", "https://example.com//", "https://example.com/foo", "https://example.com//foo",
                "https://example.com//foo/", "https://example.com/foo/bar", "https://example.com//foo/bar",
                "https://example.com//foo/bar/", "https://example.com/foo//bar//",
            ]
        ),
        (
            "https://example.com/api",
            [
                "https://example.com/api", "https://example.com/api/", "https://example.com/api/foo",
                "https://example.com/api/foo", "https://example.com/api/foo/", "https://example.com/api/foo/bar",
                "https://example.com/api/foo/bar", "https://example.com/api/foo/bar/",
                "https://example.com/api/foo//bar//",
            ]
        ),
        (
            "https://example.com/api/",
            [
                "https://example.com/api/", "https://example.com/api//", "https://example.com/api/foo",
                "https://example.com/api//foo", "https://example.com/api//foo/", "https://example.com/api/foo/bar",
                "https://example.com/api//foo/bar", "https://example.com/api//foo/bar/",
                "https://example.com/api/foo//bar//",
            ]
        ),
        (
            "https://example.com///",
            [
                "https://example.com///", "https://example.com////", "https://example.com///foo",
                "https://example.com////foo", "https://example.com////foo/", "https://example.com///foo/bar",
                "https://example.com////foo/bar", "https://example.com////foo/bar/",
                "https://example.com///foo//bar//",
            ]
        ),
    ]
    static let paths = ["", "/", "foo", "/foo", "/foo/", "foo/bar", "/foo/bar", "/foo/bar/", "foo//bar//"]

    @Test(arguments: matrix)
    func aBaseAndAPathAreJoined(base: String, urls: [String]) throws {
        for (path, url) in zip(Self.paths, urls) {
            #expect(try RequestURL.join(baseURL: base, path: path) == url)
            let items = [HTTPQueryItem("p", 1)]
            #expect(try RequestURL.join(baseURL: base, path: path, queryItems: items) == url + "?p=1")
            let request = try RequestURL.makeRequest(
                method: .get, baseURL: try #require(URL(string: base)), path: path, queryItems: items)
            #expect(request.scheme == "https")
            #expect(request.authority == "example.com")
            let target = String(url.dropFirst("https://example.com".count))
            #expect(request.path == (target.isEmpty ? "/" : target) + "?p=1")
        }
    }

    @Test func theQueryOfTheBaseIsKept() throws {
        let items = [HTTPQueryItem("p", 1)]
        let cases = [
            ("http://h/a?key=x%20y", "b", items, "http://h/a/b?key=x%20y&p=1"),
            ("http://h/a?key=x", "", [], "http://h/a?key=x"), ("http://h?", "", items, "http://h?p=1"),
            ("http://h?a/b?c", "d", items, "http://h/d?a/b?c&p=1"), ("http://h?k", "/", [], "http://h/?k"),
        ]
        for (base, path, items, url) in cases {
            #expect(try RequestURL.join(baseURL: base, path: path, queryItems: items) == url)
        }
    }

    @Test func authoritiesAreTakenAsWritten() throws {
        let cases = [
            ("http://127.0.0.1:6800/jsonrpc", "127.0.0.1:6800", "/jsonrpc"), ("HTTP://[::1]:80", "[::1]:80", "/"),
            ("http+unix://%2Frun%2Fa.sock/v1", "%2Frun%2Fa.sock", "/v1"), ("http://127.1/a", "127.1", "/a"),
        ]
        for (base, authority, path) in cases {
            let url = try #require(URL(string: base))
            let request = try RequestURL.makeRequest(method: .post, baseURL: url, path: "")
            #expect(request.authority == authority)
            #expect(request.path == path)
            #expect(request.method == .post)
        }
    }

    @Test func charactersThatNoPathHoldsAreEncodedOnce() throws {
        let cases = [
            ("/日本", "/%E6%97%A5%E6%9C%AC"), ("/%E6%97%A5", "/%E6%97%A5"),
            (#"/a"<>\^`{|}"#, "/a%22%3C%3E%5C%5E%60%7B%7C%7D"),
            ("/a;b=c,d:e@f!$&'()*+~", "/a;b=c,d:e@f!$&'()*+~"), ("/...", "/..."), ("/[1]", "/%5B1%5D"),
        ]
        for (path, encoded) in cases {
            #expect(try RequestURL.join(baseURL: "http://h", path: path) == "http://h" + encoded)
        }
    }

    static let refusedPaths: [(String, RequestURLError.Reason)] = [
        ("/a b", .illegalCharacter), ("/a\r\nX: y", .illegalCharacter), ("/a\n", .illegalCharacter),
        ("/a\u{0}", .illegalCharacter), ("/a\t", .illegalCharacter), ("/a\u{7F}", .illegalCharacter),
        ("/a#b", .fragment), ("/a?b=c", .queryInPath), ("/%", .malformedEscape), ("/%4", .malformedEscape),
        ("/%zz", .malformedEscape), ("/..", .dotSegment), ("../a", .dotSegment), ("/a/./b", .dotSegment),
        ("/a/%2e%2E/b", .dotSegment), ("/a/.%2e", .dotSegment), (".", .dotSegment),
    ]

    @Test(arguments: refusedPaths)
    func aPathThatWouldChangeTheRequestIsRefused(path: String, reason: RequestURLError.Reason) {
        for base in ["http://h", "http://h/api/?a=b"] {
            let error = #expect(throws: RequestURLError.self) { try RequestURL.join(baseURL: base, path: path) }
            #expect(error?.reason == reason)
            #expect(error?.description.contains("\n") == false)
        }
    }

    static let refusedBases: [(String, RequestURLError.Reason)] = [
        ("", .notAbsolute), ("/a", .notAbsolute), ("example.com", .notAbsolute), ("mailto:a", .notAbsolute),
        ("http:///a", .notAbsolute), ("http://:80/", .notAbsolute), ("1http://h", .notAbsolute), ("://h", .notAbsolute),
        ("http://user:secret@h/", .userInformation), ("http://user@h/\n", .userInformation), ("http://h/#f", .fragment),
        ("http://h/a b", .illegalCharacter), ("http://h\r\n", .illegalCharacter), ("http://é", .illegalCharacter),
        ("http://h/\\a", .illegalCharacter), ("http://h/%zz", .malformedEscape), ("http://h?%", .malformedEscape),
        ("http:", .notAbsolute), ("http:/h", .notAbsolute), ("http://", .notAbsolute), ("http://?a", .notAbsolute),
        ("ht tp://h", .notAbsolute), ("http://#f", .fragment), ("http://secret@h/#f %", .userInformation),
        ("http://h/ %", .illegalCharacter), ("http://127.0.0.1:99999999/", .malformedHost),
        ("http://h:65536", .malformedHost), ("http://[::1]:70000/", .malformedHost), ("http://h:x/", .malformedHost),
        ("http://[]/", .malformedHost), ("http://[::1", .malformedHost), ("http://h]/", .malformedHost),
        ("http://[:]/", .malformedHost), ("http://[1:2]/", .malformedHost),
    ]

    @Test(arguments: refusedBases)
    func aBaseWithoutAPlainHostIsRefused(base: String, reason: RequestURLError.Reason) {
        let error = #expect(throws: RequestURLError.self) { try RequestURL.join(baseURL: base, path: "a") }
        #expect(error?.reason == reason)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func aSegmentCannotLeaveItsPlace() throws {
        let cases = [
            ("a/b", "a%2Fb"), ("a?b#c", "a%3Fb%23c"), ("100%", "100%25"), ("%2F", "%252F"), ("x y", "x%20y"),
            ("a\r\nb\u{0}", "a%0D%0Ab%00"), ("日", "%E6%97%A5"), ("A-z0._~", "A-z0._~"), ("a:b@c;d", "a%3Ab%40c%3Bd"),
            ("\\", "%5C"), ("..a", "..a"), ("../..", "..%2F.."),
        ]
        for (value, segment) in cases {
            #expect(RequestURL.pathSegment(value) == segment)
            let url = try RequestURL.join(baseURL: "http://h", path: "/repos/\(segment: value)/issues/\(segment: 7)")
            #expect(url == "http://h/repos/\(segment)/issues/7")
        }
    }

    @Test func aSegmentThatServersWouldDropIsRefused() {
        for (value, reason) in [("", RequestURLError.Reason.emptySegment), (".", .dotSegment), ("..", .dotSegment)] {
            let error = #expect(throws: RequestURLError.self) {
                try RequestURL.join(baseURL: "http://h", path: "/users/\(segment: value)")
            }
            #expect(error?.reason == reason)
        }
    }
}
