// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import TestSupport
import TestTurns
import Testing

@testable import Sockets

/// Whatever uses OpenSSL first, it gets no exit handler, which would free memory that service threads still use.
@Suite(.inTurn, .startsProcess) struct OpenSSLExitTests {
    /// Ends the process. It fails if an exit handler has cleaned up OpenSSL, which then refuses to be initialized.
    private static func exitWithoutCleanup(after use: () throws -> Void) throws {
        // Handlers run in the reverse order, so this one runs after that of OpenSSL.
        atexit { if !OpenSSLExitTests.initialize() { _exit(EXIT_FAILURE) } }
        try use()
        exit(EXIT_SUCCESS)
    }

    /// Initializes OpenSSL as its own functions do. Returns `false` after a cleanup.
    private static func initialize() -> Bool {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_LOAD_CRYPTO_STRINGS), nil) == 1
    }

    @Test func systemCertificatesAreNoReasonToCleanUp() async {
        await #expect(processExitsWith: .success) {
            try Self.exitWithoutCleanup { _ = try TrustStore.store(for: .system) }
        }
    }

    @Test func contextsOfClientsAreNoReasonToCleanUp() async {
        await #expect(processExitsWith: .success) {
            try Self.exitWithoutCleanup { _ = unsafe try #require(TLSClient.context) }
        }
    }

    @Test func eventLoopsAreNoReasonToCleanUp() async {
        await #expect(processExitsWith: .success) {
            try Self.exitWithoutCleanup { LWSProcess.leave(try LWSProcess.takeContext()) }
        }
    }

    @Test func certificatesOfBytesAreNoReasonToCleanUp() async {
        await #expect(processExitsWith: .success) {
            try Self.exitWithoutCleanup { _ = try? TLSConfiguration.PEMSource.bytes([0x2D]).certificates() }
        }
    }

    @Test func theCheckFindsACleanup() async {
        await #expect(processExitsWith: .failure) {
            try Self.exitWithoutCleanup { _ = Self.initialize() }
        }
    }
}
