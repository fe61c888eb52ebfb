// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn) struct PEMSourceTests {
    private let certificates: Certificates

    init() async throws { certificates = try await Certificates.shared() }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    private func code(_ body: () throws -> Void) -> WebSocketError? {
        #expect(throws: WebSocketError.self) { try body() }
    }

    @Test func everyCertificateOfABundleCounts() throws {
        #expect(try PEMSource.file(certificates.authority).certificates().count == 1)
        #expect(try PEMSource.file(certificates[.client].certificate).certificates().count == 2)
        let bundle =
            try bytes(certificates.authority) + bytes(certificates.otherAuthority) + bytes(certificates.authority)
        #expect(try PEMSource.bytes(bundle).certificates().count == 3)
    }

    @Test func textBetweenCertificatesIsPassedOver() throws {
        let bundle = Array("# one\n".utf8) + (try bytes(certificates.authority)) + Array("\nbye\n".utf8)
        #expect(try PEMSource.bytes(bundle).certificates().count == 1)
    }

    @Test func malformedCertificateIsToldByItsNumber() throws {
        let broken = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
        let bundle = try bytes(certificates.authority) + Array(broken.utf8)
        let error = code { _ = try PEMSource.bytes(bundle).certificates() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("number 2") == true)
    }

    @Test func nothingInItIsTold() throws {
        #expect(code { _ = try PEMSource.bytes([]).certificates() }?.message.contains("holds none") == true)
        let key = PEMSource.file(certificates[.server].key)
        #expect(code { _ = try key.certificates() }?.message.contains("holds none") == true)
    }

    @Test func missingFileIsNamed() {
        let error = code { _ = try PEMSource.file("/nonexistent/ca.pem").certificates() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.systemError == ENOENT)
        #expect(error?.message.contains("/nonexistent/ca.pem") == true)
        #expect(code { _ = try PEMSource.file("/").certificates() }?.systemError == EISDIR)
    }

    @Test func encryptedKeyNeedsItsPassphrase() throws {
        let key = PEMSource.file(certificates.encryptedClientKey)
        _ = try key.privateKey(passphrase: "secret")
        for passphrase in [nil, "", "wrong", String(repeating: "x", count: 5000)] {
            #expect(code { _ = try key.privateKey(passphrase: passphrase) }?.code == .invalidConfiguration)
        }
    }

    @Test func identityHasItsChain() throws {
        let identity = TLSIdentity(
            certificateChain: .file(certificates[.client].certificate), privateKey: .file(certificates[.client].key))
        #expect(try LoadedIdentity(identity).intermediates.count == 1)
    }

    @Test func keyOfAnotherCertificateIsRefused() throws {
        let identity = TLSIdentity(
            certificateChain: .file(certificates[.client].certificate), privateKey: .file(certificates[.server].key))
        let error = code { _ = try LoadedIdentity(identity) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(certificates[.server].key) == true)
    }
}

@Suite(.inTurn) struct TrustStoreTests {
    private let certificates: Certificates

    init() async throws { certificates = try await Certificates.shared() }

    @Test func sameContentIsTheSameStore() throws {
        let path = certificates.authority
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        #expect(try TrustStore.store(for: .only(.file(path))) === TrustStore.store(for: .only(.bytes(bytes))))
        #expect(try TrustStore.store(for: .only(.bytes(bytes))) !== TrustStore.store(for: .systemAnd(.bytes(bytes))))
        #expect(try TrustStore.store(for: .system) === TrustStore.store(for: .system))
    }

    @Test func changedFileIsReadAgain() throws {
        let file = certificates.folder.appending(path: "rotated-\(UUID().uuidString).pem")
        let source = PEMSource.file(file.path(percentEncoded: false))
        try Data(contentsOf: URL(filePath: certificates.authority)).write(to: file)
        let before = try TrustStore.store(for: .only(source))
        try Data(contentsOf: URL(filePath: certificates.otherAuthority)).write(to: file)
        #expect(try TrustStore.store(for: .only(source)) !== before)
    }
}

@Suite(.inTurn) struct CertificateVerdictTests {
    // The numbers are those of OpenSSL's x509_vfy.h.
    @Test(
        arguments: [
            (10, .certificateExpired), (9, .certificateNotYetValid), (23, .certificateRevoked),
            (62, .certificateWrongHost),
            (64, .certificateWrongHost), (18, .certificateSelfSigned), (19, .certificateUnknownIssuer),
            (20, .certificateUnknownIssuer),
            (21, .certificateUnknownIssuer),
            (2, .certificateUnknownIssuer), (24, .certificateRejected), (26, .certificateRejected),
            (9999, .certificateRejected),
        ] as [(Int32, WebSocketError.Code)])
    func faultHasItsCode(_ number: Int32, _ code: WebSocketError.Code) {
        let error = CertificateVerdict(code: number, depth: 0).error(for: .name("h.example"))
        #expect(error.code == code)
        #expect(error.message.contains("h.example"))
    }

    @Test func placeInTheChainIsTold() {
        let error = CertificateVerdict(code: 10, depth: 1).error(for: .address("::1"))
        #expect(error.code == .certificateExpired)
        #expect(error.message.contains("1 above"))
    }
}
