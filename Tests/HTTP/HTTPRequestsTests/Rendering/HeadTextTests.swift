// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes
import TestTurns
import Testing

@Suite("Descriptions of heads", .inTurn)
struct HeadTextTests {
    @Test func requestsAreDescribedWithoutSecrets() {
        var request = HTTPRequest(
            method: .post, scheme: "https", authority: "example.com", path: "/a?token=s3cret&b=c",
            headerFields: [.authorization: "Bearer s3cret", .accept: "text/plain"])
        #expect(
            HTTPHeadText.describe(request)
                == "POST https://example.com/a?token=REDACTED&b=c (Authorization: REDACTED, Accept: text/plain)")
        #expect(HTTPHeadText.url(of: request) == "https://example.com/a?token=REDACTED&b=c")
        #expect(HTTPHeadText.describe(request, redacting: .none).contains("Bearer s3cret"))
        request.headerFields = [:]
        #expect(HTTPHeadText.describe(request, redacting: .none) == "POST https://example.com/a?token=s3cret&b=c")
        let bare = HTTPRequest(method: .options, scheme: nil, authority: nil, path: "*")
        #expect(HTTPHeadText.describe(bare) == "OPTIONS *")
        #expect(HTTPHeadText.describe(HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)) == "GET ")
    }

    @Test func responsesAreDescribedWithoutSecrets() {
        let response = HTTPResponse(
            status: .serviceUnavailable, headerFields: [.retryAfter: "5", .setCookie: "id=s3cret"])
        #expect(
            HTTPHeadText.describe(response) == "503 Service Unavailable (Retry-After: 5, Set-Cookie: REDACTED)")
        #expect(HTTPHeadText.describe(HTTPResponse(status: .ok)) == "200 OK")
    }

    @Test func aPeerCannotForgeALine() {
        let hostile = "x\r\n200 OK\u{1B}[2J\u{202E}\u{2028}\u{85}\u{0}\u{200B}"
        let response = HTTPResponse(
            status: .init(code: 299, reasonPhrase: hostile), headerFields: [.server: hostile, .via: "é日😀"])
        let text = HTTPHeadText.describe(response)
        let isPlain = text.unicodeScalars.allSatisfy {
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
        }
        #expect(isPlain)
        #expect(text.contains(#"\u{202E}"#))
        #expect(text.contains("é日😀"))
    }

    @Test func longTextsAreCut() {
        let response = HTTPResponse(status: .ok, headerFields: [.server: String(repeating: "x", count: 100_000)])
        #expect(HTTPHeadText.describe(response).unicodeScalars.count == 2000)
        #expect(HTTPHeadText.describe(response).hasSuffix("x…"))
        #expect(HTTPHeadText.describe(response, maximumCharacters: 7) == "200 OK…")
        #expect(HTTPHeadText.describe(response, maximumCharacters: -5) == "…")
    }
}
