// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes

extension AnswerCase {
    /// `{"hello":"world"}`, eight times, in gzip.
    static let gzip = "H4sIAAAAAAACA6tWykjNyclXslIqzy/KSVGqrR4YAQDJXDLuiAAAAA=="
    /// `hello deflate` in the zlib format (RFC 9110 §8.4.1.2).
    static let deflate = "eJzLSM3JyVdISU3LSSxJBQAjDAUK"
    /// `hello deflate` without the zlib format, as some servers send it.
    static let rawDeflate = "y0jNyclXSElNy0ksSQUA"
    /// 262 144 zeros in gzip, 907 for each byte.
    static let zeros =
        "H4sIAAAAAAACA+3BMQEAAADCoPVP7W0HoA" + String(repeating: "A", count: 338) + "3gAi6g7iAAAEAA=="

    /// Responses with a content coding (RFC 9110 §8.4).
    static let coded: [AnswerCase] = [
        AnswerCase("gzip", head: "\(ok)Content-Encoding: gzip\r\n", base64: gzip, .response(200, hellos)),
        AnswerCase("gzip in capitals", head: "\(ok)Content-Encoding: GZIP\r\n", base64: gzip, .response(200, hellos)),
        AnswerCase(
            "deflate", head: "\(ok)Content-Encoding: deflate\r\n", base64: deflate, .response(200, "hello deflate")),
        AnswerCase(
            "deflate without its format", head: "\(ok)Content-Encoding: deflate\r\n", base64: rawDeflate,
            .bodyFailure(200, .protocolViolation), urlSession: .response(200, "hello deflate")),
        AnswerCase(
            "cut gzip", head: "\(ok)Content-Encoding: gzip\r\n", base64: gzip, dropping: 12,
            .bodyFailure(200, .protocolViolation), urlSession: .response(200, #"{"hello":"world"}"#)),
        AnswerCase(
            "damaged gzip", "\(ok)Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
            .bodyFailure(200, .protocolViolation), urlSession: .bodyFailure(200, .connectionLost)),
        AnswerCase(
            "gzip that grows too much", head: "\(ok)Content-Encoding: gzip\r\n", base64: zeros,
            .bodyFailure(200, .bodyTooLarge), urlSession: .response(200, String(repeating: "\0", count: 262_144))),
        AnswerCase(
            "identity", "\(ok)Content-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", .response(200, "hello")),
        AnswerCase(
            "a coding that nobody knows", "\(ok)Content-Encoding: rot13\r\nContent-Length: 5\r\n\r\nuryyb",
            .response(200, "uryyb"), urlSession: .bodyFailure(200, .connectionLost)),
    ]

    private static let hellos = String(repeating: #"{"hello":"world"}"#, count: 8)

    /// Redirects, which no transport follows (RFC 9110 §15.4).
    static let redirects: [AnswerCase] =
        [301, 302, 303, 307, 308].map {
            AnswerCase(
                "redirect \($0)", "HTTP/1.1 \($0) Moved\r\nLocation: /elsewhere\r\nContent-Length: 5\r\n\r\nmoved",
                .response($0, "moved"))
        } + [
            AnswerCase(
                "redirect without a place", "HTTP/1.1 302 Found\r\nContent-Length: 5\r\n\r\nmoved",
                .response(302, "moved"), urlSession: .response(302, "")),
            AnswerCase(
                "POST and 303", method: .post,
                "HTTP/1.1 303 See Other\r\nLocation: /x\r\nContent-Length: 5\r\n\r\nmoved",
                .response(303, "moved")),
            AnswerCase("redirect to a host with an escape", redirect(to: "//a%20b/"), .response(302, "moved"))
                .trappingURLSession(),
        ]
        + [
            "//", "//host:99999999/", "http://", "?a=%zz|{}", "#\u{1F600}", ":", "///x?y#z",
            "http://\u{e9}.example/\u{1F600}", "%", "javascript:alert(1)", "http://user:pass@x/", "x:-1",
        ].map { AnswerCase("redirect to '\($0)'", redirect(to: $0), .response(302, "moved")) }
        + ["http://[::1", "http://a b/", "//x:-1/"].map {
            AnswerCase(
                "redirect to '\($0)'", redirect(to: $0), .response(302, "moved"), urlSession: .response(302, ""))
        }

    private static func redirect(to location: String) -> String {
        "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 5\r\n\r\nmoved"
    }
}
