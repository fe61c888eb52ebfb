// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import HTTPSyntax

/// An X.509 certificate. Unchecked: OpenSSL counts references to an `X509` atomically, and locks the values that it
/// computes lazily. No code here changes a certificate.
@safe final class Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_free(pointer) }
}

/// A private key. Unchecked: the same as for ``Certificate``.
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

    /// Reads the certificates and the key. Throws ``SocketError`` with the code `invalidConfiguration`, also if the
    /// key does not belong to the first certificate.
    init(_ identity: TLSConfiguration.Identity) throws(SocketError) {
        let chain = try identity.certificateChain.certificates()
        guard let certificate = chain.first else {
            throw SocketError(.invalidConfiguration, "Could not use the TLS identity: it has no certificate.")
        }
        self.certificate = certificate
        intermediates = Array(chain.dropFirst())
        privateKey = try identity.privateKey.privateKey(passphrase: identity.passphrase)
        let belongs = unsafe X509_check_private_key(certificate.pointer, privateKey.pointer) == 1
        ERR_clear_error()
        guard belongs else {
            throw SocketError(
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
    func read() throws(SocketError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .file(let path): try PEMFile(path: path).read()
        }
    }

    /// Returns all certificates in order. There is at least one.
    func certificates() throws(SocketError) -> [Certificate] {
        try Self.certificates(in: read(), named: name)
    }

    static func certificates(in bytes: [UInt8], named name: String) throws(SocketError) -> [Certificate] {
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
            throw SocketError(.invalidConfiguration, "Could not use the certificates of \(name): \(reason).")
        }
        return certificates
    }

    /// Returns the private key. An encrypted key without a passphrase is an error: OpenSSL must not prompt for it.
    func privateKey(passphrase: String?) throws(SocketError) -> PrivateKey {
        let input = try PEMInput(read())
        var terminated = Array((passphrase ?? "").utf8) + [0]
        let pointer = unsafe terminated.withUnsafeMutableBytes { buffer in
            unsafe PEM_read_bio_PrivateKey(input.bio, nil, PEMInput.passphraseCallback, buffer.baseAddress)
        }
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard let pointer = unsafe pointer else {
            throw SocketError(
                .invalidConfiguration, "Could not use the private key of \(name): \(openSSLText(code)).")
        }
        return unsafe PrivateKey(owning: pointer)
    }
}

/// A copy of bytes for OpenSSL to read.
@safe final class PEMInput {
    let bio: OpaquePointer

    init(_ bytes: [UInt8]) throws(SocketError) {
        OpenSSLLibrary.prepare()
        guard let bio = unsafe BIO_new(BIO_s_mem()) else {
            throw SocketError(.invalidConfiguration, "Could not read the PEM bytes: there is no memory.")
        }
        unsafe self.bio = bio
        guard let count = Int32(exactly: bytes.count), unsafe count == 0 || BIO_write(bio, bytes, count) == count
        else {
            throw SocketError(.invalidConfiguration, "Could not read the PEM bytes: there are 2 GiB or more.")
        }
    }

    deinit { unsafe BIO_free(bio) }

    /// The callback that passes a zero-terminated passphrase to OpenSSL, if the last argument points to one. Without a
    /// callback, OpenSSL would prompt at the terminal.
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

/// A file or pipe with certificates or a key. It is read within limits of size and time.
struct PEMFile {
    /// The maximum size of the file. The certificates of a whole system take less than 1 MiB.
    static let maximumBytes = 4 << 20

    let path: String
    /// The time limit for the writer of a pipe. Reading a regular file does not wait.
    var timeLimit = Duration.seconds(5)

    /// Reads the file, and blocks until it is read. Throws ``SocketError`` with the code `invalidConfiguration` if
    /// it does not exist, is a device, directory or socket, or is too large, or if the pipe's writer takes too long.
    func read() throws(SocketError) -> [UInt8] {
        // The descriptor is nonblocking, because otherwise a named pipe would not open before a process writes to it.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw unreadable(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFIFO: break
        case S_IFDIR: throw unreadable(EISDIR)
        default: throw unreadable("it is a device, not a file or pipe")
        }
        let deadline = ContinuousClock.now + timeLimit
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            try wait(for: descriptor, until: deadline)
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 {
                guard errno == EAGAIN || errno == EINTR else { throw unreadable(errno) }
                continue
            }
            if count == 0 { return content }
            content += buffer[..<count]
            guard content.count <= Self.maximumBytes else {
                throw unreadable("it contains more than \(Self.maximumBytes) bytes")
            }
        }
    }

    /// Waits until reading returns bytes or the end. Before a process has opened a pipe for writing, the pipe would
    /// read as empty.
    private func wait(for descriptor: Int32, until deadline: ContinuousClock.Instant) throws(SocketError) {
        while true {
            let milliseconds = ContinuousClock.now.duration(to: deadline).pollMilliseconds
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&polled, 1, milliseconds)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw unreadable(errno) }
            if count == 0, milliseconds == 0 {
                throw unreadable("its writer did not finish within \(timeLimit)")
            }
        }
    }

    private func unreadable(_ code: Int32) -> SocketError { unreadable(errorText(code), systemError: code) }

    private func unreadable(_ reason: String, systemError: Int32? = nil) -> SocketError {
        let path = String.printable(path, limit: Int(PATH_MAX))
        return SocketError(
            .invalidConfiguration, "Could not read the file \(path): \(reason).", systemError: systemError)
    }
}
