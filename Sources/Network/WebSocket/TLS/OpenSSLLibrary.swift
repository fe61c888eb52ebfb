// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// The state of OpenSSL in this process.
enum OpenSSLLibrary {
    /// Initializes OpenSSL without its exit handler. Everything that uses OpenSSL calls this first.
    ///
    /// A process may call `exit` while service threads still use TLS. OpenSSL's exit handler would free memory under
    /// their feet, and the process would crash instead of ending with its status. The handler only frees memory, which
    /// the system does anyway. If other code of the process initializes OpenSSL first, its choice counts.
    static func prepare() { _ = isPrepared }

    private static let isPrepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}

/// Returns OpenSSL's text for an error code.
func openSSLText(_ code: UInt) -> String {
    guard let text = unsafe ERR_reason_error_string(code) else { return "error \(code)" }
    return unsafe String(cString: text)
}
