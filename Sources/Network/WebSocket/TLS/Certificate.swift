// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// An X.509 certificate.
///
/// Unchecked: OpenSSL counts references to an `X509` atomically and locks the values that it computes lazily. No code
/// here changes a certificate.
@safe final class Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_free(pointer) }
}

/// A private key.
///
/// Unchecked: as for ``Certificate``.
@safe final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe EVP_PKEY_free(pointer) }
}

/// The certificates and the key of a ``TLSConfiguration/Identity``, read from its sources.
struct LoadedIdentity: Sendable {
    let certificate: Certificate
    let intermediates: [Certificate]
    let privateKey: PrivateKey

    /// Reads the certificates and the key.
    ///
    /// - Throws: ``WebSocketError`` with the code `invalidConfiguration`, also if the key is not that of the first
    ///   certificate.
    init(_ identity: TLSConfiguration.Identity) throws(WebSocketError) {
        let chain = try identity.certificateChain.certificates()
        guard let certificate = chain.first else {
            throw WebSocketError(.invalidConfiguration, "Could not use the TLS identity: it has no certificate.")
        }
        self.certificate = certificate
        intermediates = Array(chain.dropFirst())
        privateKey = try identity.privateKey.privateKey(passphrase: identity.passphrase)
        let belongs = unsafe X509_check_private_key(certificate.pointer, privateKey.pointer) == 1
        ERR_clear_error()
        guard belongs else {
            throw WebSocketError(
                .invalidConfiguration,
                "Could not use the private key of \(identity.privateKey.name): it does not belong to the first "
                    + "certificate of \(identity.certificateChain.name).")
        }
    }
}

extension TLSConfiguration.PEMSource {
    /// The name of the source in error messages.
    var name: String {
        switch self {
        case .file(let path): String.printable(path, limit: Int(PATH_MAX))
        case .bytes: "the PEM bytes given"
        }
    }

    /// Returns the bytes, or the content of the file.
    func read() throws(WebSocketError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .file(let path): try PEMFile(path: path).read()
        }
    }

    /// Returns all certificates, in order; at least one.
    func certificates() throws(WebSocketError) -> [Certificate] {
        try Self.certificates(in: read(), named: name)
    }

    static func certificates(in bytes: [UInt8], named name: String) throws(WebSocketError) -> [Certificate] {
        let input = try PEMInput(bytes)
        var certificates: [Certificate] = []
        while let pointer = unsafe PEM_read_bio_X509_AUX(input.bio, nil, PEMInput.passphraseCallback, nil) {
            certificates.append(unsafe Certificate(owning: pointer))
        }
        let code = ERR_peek_last_error()
        ERR_clear_error()
        // OpenSSL reports the end of the input as a certificate without a first line.
        let isEnd = ERR_GET_REASON(code) == PEM_R_NO_START_LINE
        guard isEnd, !certificates.isEmpty else {
            let reason =
                isEnd ? "it holds none" : "number \(certificates.count + 1) is malformed: \(openSSLText(code))"
            throw WebSocketError(
                .invalidConfiguration, "Could not use the certificates of \(name): \(reason).")
        }
        return certificates
    }

    /// Returns the private key. Without a passphrase, an encrypted key is an error: OpenSSL does not ask at the
    /// terminal.
    func privateKey(passphrase: String?) throws(WebSocketError) -> PrivateKey {
        let input = try PEMInput(read())
        var terminated = Array((passphrase ?? "").utf8) + [0]
        let pointer = unsafe terminated.withUnsafeMutableBytes { buffer in
            unsafe PEM_read_bio_PrivateKey(input.bio, nil, PEMInput.passphraseCallback, buffer.baseAddress)
        }
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard let pointer = unsafe pointer else {
            throw WebSocketError(
                .invalidConfiguration, "Could not use the private key of \(name): \(openSSLText(code)).")
        }
        return unsafe PrivateKey(owning: pointer)
    }
}

/// A memory buffer that OpenSSL reads.
@safe final class PEMInput {
    /// The reader of `storage`, which lives as long as this object.
    let bio: OpaquePointer
    private let storage: UnsafeMutableBufferPointer<UInt8>

    init(_ bytes: [UInt8]) throws(WebSocketError) {
        OpenSSLLibrary.prepare()
        unsafe storage = .allocate(capacity: max(bytes.count, 1))
        _ = unsafe storage.update(fromContentsOf: bytes)
        guard let count = Int32(exactly: bytes.count), let bio = unsafe BIO_new_mem_buf(storage.baseAddress, count)
        else {
            unsafe storage.deallocate()
            throw WebSocketError(.invalidConfiguration, "Could not read the PEM bytes: there are 2 GiB or more.")
        }
        unsafe self.bio = bio
    }

    deinit {
        unsafe BIO_free(bio)
        unsafe storage.deallocate()
    }

    /// The callback that gives OpenSSL the zero-terminated passphrase that the last argument points at, if any. Without
    /// a callback, OpenSSL would ask at the terminal.
    static let passphraseCallback:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?)
            -> Int32 = { buffer, size, _, argument in
                guard let buffer = unsafe buffer, let argument = unsafe argument else { return -1 }
                let passphrase = unsafe argument.assumingMemoryBound(to: CChar.self)
                let length = unsafe strlen(passphrase)
                guard length > 0, length <= Int(size) else { return -1 }
                unsafe buffer.update(from: passphrase, count: length)
                return Int32(length)
            }
}
