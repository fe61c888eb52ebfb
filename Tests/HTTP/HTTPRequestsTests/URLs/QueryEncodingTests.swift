// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import TestTurns
import Testing

@Suite("Query encoding", .inTurn)
struct QueryEncodingTests {
    @Test func textsAreEncodedOnce() {
        let cases: [(String, rfc3986: String, form: String)] = [
            (
                "こんにちは", "%E3%81%93%E3%82%93%E3%81%AB%E3%81%A1%E3%81%AF",
                "%E3%81%93%E3%82%93%E3%81%AB%E3%81%A1%E3%81%AF"
            ),
            (
                "!\"#$%&'()0=~|`{}*+<>?/_",
                "%21%22%23%24%25%26%27%28%290%3D~%7C%60%7B%7D%2A%2B%3C%3E?/_",
                "%21%22%23%24%25%26%27%28%290%3D%7E%7C%60%7B%7D*%2B%3C%3E%3F%2F_"
            ),
            ("a b", "a%20b", "a+b"), ("%20", "%2520", "%2520"), ("+", "%2B", "%2B"), ("", "", ""),
            ("\r\n\u{0}", "%0D%0A%00", "%0D%0A%00"),
            ("a;b,c:d@[e]", "a%3Bb%2Cc%3Ad%40%5Be%5D", "a%3Bb%2Cc%3Ad%40%5Be%5D"),
        ]
        for (text, rfc3986, form) in cases {
            #expect(HTTPQueryEncoding.rfc3986.encode([HTTPQueryItem("q", text)]) == "q=" + rfc3986)
            #expect(HTTPQueryEncoding.form.encode([HTTPQueryItem(text, text)]) == form + "=" + form)
        }
    }

    @Test func spacesAreEncodedAsChosen() {
        let items = [HTTPQueryItem("a b", "c d+e")]
        #expect(HTTPQueryEncoding(characters: .rfc3986, spaces: .plus).encode(items) == "a+b=c+d%2Be")
        #expect(HTTPQueryEncoding(characters: .form, spaces: .percent20).encode(items) == "a%20b=c%20d%2Be")
    }

    @Test func theOrderOfItemsIsKept() {
        let items = (0..<100).map { HTTPQueryItem("k\($0 * 37 % 100)", $0) }
        let text = items.indices.map { "k\($0 * 37 % 100)=\($0)" }.joined(separator: "&")
        #expect(HTTPQueryEncoding.rfc3986.encode(items) == text)
    }

    @Test(arguments: [
        (HTTPQueryEncoding.NilValues.omitted, "a=1&e=&b=2"), (.nameOnly, "a=1&n&e=&b=2&n"),
        (.emptyValue, "a=1&n=&e=&b=2&n="),
    ])
    func missingValuesFollowThePolicy(policy: HTTPQueryEncoding.NilValues, text: String) {
        var encoding = HTTPQueryEncoding.rfc3986
        encoding.nilValues = policy
        let items = [
            HTTPQueryItem("a", 1), HTTPQueryItem("n", nil), HTTPQueryItem("e", ""), HTTPQueryItem("b", 2),
            HTTPQueryItem("n", Int?.none),
        ]
        #expect(encoding.encode(items) == text)
    }

    @Test(arguments: [
        (HTTPQueryEncoding.Arrays.repeated, "t=a&t=b%2Cc&t=&x=true"),
        (.brackets, "t%5B%5D=a&t%5B%5D=b%2Cc&t%5B%5D=&x=true"),
        (.indexed, "t%5B0%5D=a&t%5B1%5D=b%2Cc&t%5B2%5D=&x=true"), (.commaSeparated, "t=a,b%2Cc,&x=true"),
    ])
    func arraysFollowThePolicy(arrays: HTTPQueryEncoding.Arrays, text: String) {
        var encoding = HTTPQueryEncoding.form
        encoding.arrays = arrays
        let items = [HTTPQueryItem("t", ["a", "b,c", ""]), HTTPQueryItem("none", [Int]()), HTTPQueryItem("x", true)]
        #expect(encoding.encode(items) == text)
    }
}
