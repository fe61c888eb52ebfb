// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// TLS over a nonblocking socket. The socket's owner closes it. The stream belongs to one service thread, which blocks
/// all signals, because OpenSSL writes without `MSG_NOSIGNAL`.
@safe package final class TLSStream {
    let socket: Int32
    private let ssl: OpaquePointer
    private var isEstablished = false
    /// The handshake of a client, or `nil` at a listener.
    package let clientHandshake: TLSHandshake?
    /// Whether the connection failed. OpenSSL forbids any further use, including `SSL_shutdown`.
    private var hasFailed = false

    /// Takes over the caller's reference to an `SSL` that is configured to connect or to accept.
    init(owning ssl: OpaquePointer, socket: Int32, clientHandshake: TLSHandshake? = nil) {
        unsafe self.ssl = ssl
        self.clientHandshake = clientHandshake
        self.socket = socket
    }

    deinit { unsafe SSL_free(ssl) }

    package enum HandshakeStep {
        case done
        /// The handshake continues when bytes arrive.
        case awaitsBytes
        /// The handshake continues when there is room to write.
        case awaitsRoom
        case failed(SocketFault)
    }

    package func handshake() -> HandshakeStep {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 {
            isEstablished = true
            return .done
        }
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .awaitsBytes
        case SSL_ERROR_WANT_WRITE: return .awaitsRoom
        case let code: return .failed(fault(code))
        }
    }

    @unsafe func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteStream.ReadResult {
        var count = 0
        while count < buffer.count {
            ERR_clear_error()
            // A record has at most 16 KiB, and one call reads one record.
            let room = Int32(clamping: buffer.count - count)
            let result = unsafe SSL_read(ssl, buffer.baseAddress.map { unsafe $0 + count }, room)
            if result > 0 {
                count += Int(result)
                continue
            }
            let code = unsafe SSL_get_error(ssl, result)
            // The bytes that were read are returned first. The next call finds the end again.
            if count > 0 { break }
            switch code {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .blocked
            case SSL_ERROR_ZERO_RETURN: return .ended
            default: return isEndOfFile(code) ? .ended : .failed(fault(code))
            }
        }
        return .bytes(count)
    }

    @unsafe func write(_ bytes: UnsafeRawBufferPointer) -> ByteStream.WriteResult {
        guard bytes.count > 0 else { return .bytes(0) }
        ERR_clear_error()
        let result = unsafe SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
        if result > 0 { return .bytes(Int(result)) }
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .blocked
        case let code: return .failed(fault(code))
        }
    }

    var hasPendingBytes: Bool { unsafe SSL_pending(ssl) > 0 }

    /// Sends the alert that ends this side (RFC 8446 §6.1). It does not wait for the peer's alert.
    func notifyClose() {
        guard isEstablished, !hasFailed else { return }
        ERR_clear_error()
        unsafe SSL_shutdown(ssl)
    }

    package var serverName: String? {
        unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { unsafe String(cString: $0) }
    }

    package var version: String? { unsafe SSL_get_version(ssl).map { unsafe String(cString: $0) } }

    /// Returns whether the peer ended the connection without an alert. The protocol over the stream has an end of its
    /// own, so this is not a failure of TLS.
    private func isEndOfFile(_ code: Int32) -> Bool {
        if code == SSL_ERROR_SYSCALL { return errno == 0 && ERR_peek_error() == 0 }
        return code == SSL_ERROR_SSL && ERR_GET_REASON(ERR_peek_error()) == CLWS_UNEXPECTED_EOF
    }

    private func fault(_ code: Int32) -> SocketFault {
        let systemError = errno
        let libraryError = ERR_peek_error()
        ERR_clear_error()
        if code == SSL_ERROR_SYSCALL || code == SSL_ERROR_SSL { hasFailed = true }
        if libraryError != 0 { return SocketFault(openSSLText(libraryError)) }
        if code == SSL_ERROR_SYSCALL, systemError != 0 { return SocketFault(systemError: systemError) }
        return SocketFault("the peer ended the connection")
    }
}

/// The state of OpenSSL in this process.
enum OpenSSLLibrary {
    /// Initializes OpenSSL without its exit handler. All code that uses OpenSSL calls this first. A process may call
    /// `exit` while service threads still use TLS. OpenSSL's exit handler would free memory that they use, and the
    /// process would crash instead of exiting with its status. The handler only frees memory, which the system does
    /// anyway. If other code of the process initializes OpenSSL first, its choice applies.
    static func prepare() { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }
}

func openSSLText(_ code: UInt) -> String {
    guard let text = unsafe ERR_reason_error_string(code) else { return "error \(code)" }
    return unsafe String(cString: text)
}
