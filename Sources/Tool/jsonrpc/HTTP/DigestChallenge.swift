// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import HTTPSyntax
import HTTPTypes
import WebSocket

/// A Digest challenge that this side can answer (RFC 7616): with MD5 or SHA-256, and the quality of protection `auth`.
struct DigestChallenge: Equatable, Sendable {
    enum Algorithm: String, CaseIterable, Sendable {
        case md5 = "MD5"
        case sha256 = "SHA-256"

        /// Returns the digest in hexadecimal digits; `nil` if OpenSSL refuses the algorithm, as it does MD5 in its FIPS
        /// mode.
        func digest(_ text: String) -> String? {
            let bytes = Array(text.utf8)
            var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
            var count: UInt32 = 0
            let algorithm = self == .md5 ? EVP_md5() : EVP_sha256()
            guard EVP_Digest(bytes, bytes.count, &digest, &count, algorithm, nil) == 1 else { return nil }
            return DigestChallenge.hexadecimal(digest.prefix(Int(count)))
        }
    }

    var algorithm: Algorithm
    var realm: String
    var nonce: String
    var opaque: String?

    /// The size of the longest challenges that are read, all fields together.
    static let maximumBytes = 16 << 10

    /// Finds the best challenge in the fields `WWW-Authenticate` of a response; `nil` if there is none to answer.
    init?(_ fields: HTTPFields) {
        let values = fields[values: .wwwAuthenticate]
        guard values.reduce(0, { $0 + $1.utf8.count }) <= Self.maximumBytes else { return nil }
        let challenges = FieldText.challenges(of: values).filter { $0.scheme.lowercased() == "digest" }
            .compactMap { Self(parameters: $0.parameters) }
        guard let best = challenges.first(where: { $0.algorithm == .sha256 }) ?? challenges.first else { return nil }
        self = best
    }

    /// Reads the parameters of a challenge. It fails if one of them is malformed or given twice.
    private init?(parameters: [Substring]) {
        var known: [String: String] = [:]
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let value = FieldText.word(FieldText.trimming(parts[1])),
                known.updateValue(value, forKey: FieldText.trimming(parts[0]).lowercased()) == nil
            else { return nil }
        }
        guard let realm = known["realm"], let nonce = known["nonce"], !nonce.isEmpty,
            let algorithm = Algorithm.allCases.first(where: {
                $0.rawValue == (known["algorithm"] ?? "MD5").uppercased()
            }),
            FieldText.elements(of: known["qop"] ?? "").contains(where: { $0.lowercased() == "auth" })
        else { return nil }
        (self.algorithm, self.realm, self.nonce, opaque) = (algorithm, realm, nonce, known["opaque"])
    }

    /// Returns the value of `Authorization` (RFC 7616 §3.4); `nil` if the algorithm cannot be used.
    ///
    /// - Parameters:
    ///   - target: The target of the request, with its query.
    ///   - count: The number of requests that have answered this challenge, this one included.
    func answer(
        _ credentials: BasicCredentials, method: String, target: String, count: UInt32, clientNonce: String
    ) -> String? {
        let hexCount = String(count, radix: 16)
        let nonceCount = String(repeating: "0", count: 8 - hexCount.count) + hexCount
        guard let secret = algorithm.digest("\(credentials.user):\(realm):\(credentials.password)"),
            let message = algorithm.digest("\(method):\(target)"),
            let response = algorithm.digest("\(secret):\(nonce):\(nonceCount):\(clientNonce):auth:\(message)")
        else { return nil }
        var parameters = [
            "username=\(FieldText.quoted(credentials.user))", "realm=\(FieldText.quoted(realm))",
            "uri=\(FieldText.quoted(target))", "algorithm=\(algorithm.rawValue)", "nonce=\(FieldText.quoted(nonce))",
            "nc=\(nonceCount)", "cnonce=\(FieldText.quoted(clientNonce))", "qop=auth", "response=\"\(response)\"",
        ]
        if let opaque { parameters.append("opaque=\(FieldText.quoted(opaque))") }
        return "Digest " + parameters.joined(separator: ", ")
    }

    /// Returns 16 random bytes of the system in hexadecimal digits.
    static func newClientNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return hexadecimal((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    fileprivate static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
