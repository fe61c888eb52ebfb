// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import TestTurns
import Testing
import WebSocket

@testable import jsonrpc

@Suite(.inTurn) struct DigestChallengeTests {
    private func read(_ values: String...) -> DigestChallenge? {
        var fields = HTTPFields()
        for value in values { fields.append(HTTPField(name: .wwwAuthenticate, value: value)) }
        return DigestChallenge(fields)
    }

    private static let rest =
        #"realm="http-auth@example.org", qop="auth, auth-int", "#
        + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#
        + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#

    /// RFC 7616 §3.9.1.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func theAnswersAreThoseOfTheStandard(_ algorithm: String, _ response: String) throws {
        let challenge = try #require(read("Digest \(Self.rest), algorithm=\(algorithm)"))
        let credentials = try #require(BasicCredentials(user: "Mufasa", password: "Circle of Life"))
        let answer = challenge.answer(
            credentials, method: "GET", target: "/dir/index.html", count: 1,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(
            answer
                == #"Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", "#
                + #"algorithm=\#(algorithm), nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, "#
                + #"cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\#(response)", "#
                + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#)
    }

    @Test func theStrongestChallengeIsAnswered() {
        let both = read("Digest \(Self.rest), algorithm=MD5, Digest \(Self.rest), algorithm=SHA-256")
        #expect(both?.algorithm == .sha256)
        let fields = read(#"Basic realm="a, Digest b=c", DIGEST \#(Self.rest)"#, "Bearer", "Negotiate YQ==")
        #expect(fields?.algorithm == .md5)
        #expect(fields?.opaque == "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")
        // A challenge of an unknown kind is no reason against another one.
        let second = read("Digest \(Self.rest), algorithm=SHA-512-256", #"Digest qop = auth , nonce=1 ,realm="""#)
        #expect(second?.nonce == "1")
        #expect(second?.realm == "")
    }

    @Test(arguments: [
        "", "Digest", "Digest ", "Basic realm=x", #"Digest realm="r", nonce="n""#, #"Digest realm="r", qop="auth""#,
        #"Digest realm="r", nonce="", qop="auth""#, #"Digest nonce="n", qop="auth""#,
        #"Digest realm="r", nonce="n", qop="auth-int""#,
        #"Digest realm="r", nonce="n", qop="auth", algorithm=MD5-sess"#,
        #"Digest realm="r", nonce="n, qop="auth""#, #"Digest realm="r", nonce="n", nonce="m", qop="auth""#,
        #"Digest realm="r", nonce=a b, qop="auth""#, #"Digest realm, nonce="n", qop="auth""#,
        #"realm="r", nonce="n", qop="auth""#, "Digest \(rest), x=\"\(String(repeating: "y", count: 20_000))\"",
        "Digest \(String(repeating: ",", count: 10_000))", "Digest \(String(repeating: "a=\"", count: 4000))",
    ])
    func otherChallengesAreNotAnswered(_ value: String) {
        #expect(read(value) == nil)
    }

    @Test func textOfTheServerStaysInItsQuotes() throws {
        let challenge = try #require(read(#"Digest realm="a\", uri=\"/x", nonce="\\n", qop=auth"#))
        #expect(challenge.realm == #"a", uri="/x"#)
        let credentials = try #require(BasicCredentials(user: #"us"er"#, password: "p"))
        let answer = try #require(
            challenge.answer(credentials, method: "POST", target: "/", count: .max, clientNonce: "c"))
        #expect(answer.hasPrefix(#"Digest username="us\"er", realm="a\", uri=\"/x", uri="/", "#))
        #expect(answer.contains(#"nonce="\\n", nc=ffffffff, "#))
    }

    @Test func eachClientNonceIsNew() {
        let nonce = DigestChallenge.newClientNonce()
        #expect(nonce.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(nonce != DigestChallenge.newClientNonce())
    }
}
