// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

@testable import Sockets

@Suite(.inTurn) struct PEMSourceTests {
    private let certificates: Certificates

    init() async throws { certificates = try await Certificates.shared() }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    private func code(_ body: () throws -> Void) -> SocketError? {
        #expect(throws: SocketError.self) { try body() }
    }

    @Test func everyCertificateOfABundleCounts() throws {
        #expect(try TLSConfiguration.PEMSource.file(certificates.authority).certificates().count == 1)
        #expect(try TLSConfiguration.PEMSource.file(certificates[.client].certificate).certificates().count == 2)
        let bundle =
            try bytes(certificates.authority) + bytes(certificates.otherAuthority) + bytes(certificates.authority)
        #expect(try TLSConfiguration.PEMSource.bytes(bundle).certificates().count == 3)
    }

    @Test func textBetweenCertificatesIsPassedOver() throws {
        let bundle = Array("# one\n".utf8) + (try bytes(certificates.authority)) + Array("\nbye\n".utf8)
        #expect(try TLSConfiguration.PEMSource.bytes(bundle).certificates().count == 1)
    }

    @Test func malformedCertificateIsToldByItsNumber() throws {
        let broken = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
        let bundle = try bytes(certificates.authority) + Array(broken.utf8)
        let error = code { _ = try TLSConfiguration.PEMSource.bytes(bundle).certificates() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("number 2") == true)
    }

    @Test func nothingInItIsTold() throws {
        #expect(
            code { _ = try TLSConfiguration.PEMSource.bytes([]).certificates() }?.message.contains("holds none") == true
        )
        let key = TLSConfiguration.PEMSource.file(certificates[.server].key)
        #expect(code { _ = try key.certificates() }?.message.contains("holds none") == true)
    }

    @Test func missingFileIsNamed() {
        let error = code { _ = try TLSConfiguration.PEMSource.file("/nonexistent/ca.pem").certificates() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.systemError == ENOENT)
        #expect(error?.message.contains("/nonexistent/ca.pem") == true)
        #expect(code { _ = try TLSConfiguration.PEMSource.file("/").certificates() }?.systemError == EISDIR)
    }

    /// Defect 23: this was read until the memory was full.
    @Test(arguments: ["/dev/zero", "/dev/null", "/dev/urandom"])
    func deviceIsRefused(_ path: String) {
        let error = code { _ = try TLSConfiguration.PEMSource.file(path).certificates() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("Could not read the file \(path): it is a device") == true)
    }

    /// Defect 23.
    @Test func fileThatIsTooLargeIsRefused() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/bundle.pem"
            let bytes = try bytes(certificates.authority)
            try Data(bytes + [UInt8](repeating: 0x0A, count: (4 << 20) - bytes.count)).write(to: URL(filePath: path))
            #expect(try TLSConfiguration.PEMSource.file(path).certificates().count == 1)
            try Data([UInt8](repeating: 0x0A, count: 4 << 20 + 1)).write(to: URL(filePath: path))
            let error = code { _ = try TLSConfiguration.PEMSource.file(path).certificates() }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("more than 4194304 bytes") == true)
        }
    }

    @Test func pipeIsRead() async throws {
        let bytes = try bytes(certificates.authority)
        try await withPipe { path in
            Self.write(bytes, times: 1, to: path)
            let certificates = try TLSConfiguration.PEMSource.file(path).certificates()
            #expect(certificates.count == 1)
        }
    }

    /// Defect 23: each dial left a thread that waited forever for a writer.
    @Test func pipeWithoutAWriterIsGivenUp() async throws {
        try await withPipe { path in
            let error = code { _ = try PEMFile(path: path, timeLimit: .milliseconds(20)).read() }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("within 0.02 seconds") == true)
        }
    }

    /// Defect 23.
    @Test func pipeWithoutAnEndIsCutOff() async throws {
        try await withPipe { path in
            Self.write([UInt8](repeating: 0x0A, count: 64 * 1024), times: .max, to: path)
            let error = code { _ = try TLSConfiguration.PEMSource.file(path).read() }
            #expect(error?.message.contains("more than 4194304 bytes") == true)
        }
    }

    private func withPipe(_ body: (_ path: String) throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/pipe"
            try #require(mkfifo(path, 0o600) == 0)
            try body(path)
        }
    }

    /// Opens a pipe when it has a reader, and writes until the reader has closed it.
    private static func write(_ bytes: [UInt8], times: Int, to path: String) {
        BlockingThread.run {
            // The signal would end the process, so it is blocked in this thread.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            defer { close(descriptor) }
            var left = times
            while left > 0, Foundation.write(descriptor, bytes, bytes.count) == bytes.count { left -= 1 }
        }
    }

    /// Defect 22: neither a passphrase nor a key is printed with its configuration.
    @Test func descriptionHasNoSecrets() {
        let identity = TLSConfiguration.Identity(
            certificateChain: .file("/c.pem"), privateKey: .bytes([7, 7, 7]), passphrase: "secret")
        var configuration = TLSConfiguration()
        configuration.identity = identity
        for text in ["\(configuration)", String(reflecting: configuration)] {
            #expect(text.contains("/c.pem") && !text.contains("secret") && !text.contains("7"))
        }
    }

    @Test func pathIsToldEscaped() {
        let error = code { _ = try TLSConfiguration.PEMSource.file("/nonexistent/\u{1B}[31m").certificates() }
        #expect(error?.message.contains("\u{1B}") == false)
    }

    @Test func encryptedKeyNeedsItsPassphrase() throws {
        let key = TLSConfiguration.PEMSource.file(certificates.encryptedClientKey)
        _ = try key.privateKey(passphrase: "secret")
        for passphrase in [nil, "", "wrong", String(repeating: "x", count: 5000)] {
            #expect(code { _ = try key.privateKey(passphrase: passphrase) }?.code == .invalidConfiguration)
        }
    }

    @Test func identityHasItsChain() throws {
        let identity = TLSConfiguration.Identity(
            certificateChain: .file(certificates[.client].certificate), privateKey: .file(certificates[.client].key))
        #expect(try LoadedIdentity(identity).intermediates.count == 1)
    }

    @Test func keyOfAnotherCertificateIsRefused() throws {
        let identity = TLSConfiguration.Identity(
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
        let source = TLSConfiguration.PEMSource.file(file.path(percentEncoded: false))
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
        ] as [(Int32, SocketError.Code)])
    func faultHasItsCode(_ number: Int32, _ code: SocketError.Code) {
        let error = CertificateVerdict(code: number, depth: 0).error(for: .name("h.example"))
        #expect(error.code == code)
        #expect(error.message.contains("h.example"))
    }

    @Test func placeInTheChainIsTold() {
        let error = CertificateVerdict(code: 10, depth: 1).error(for: .ipv6("::1", zone: nil))
        #expect(error.code == .certificateExpired)
        #expect(error.message.contains("1 above"))
    }
}
