// swift-jsonrpc · SPDX-License-Identifier: MIT

/// TLS of a client. Files are read again for each connection.
///
/// The server's name must be one of its certificate's alternative names; the common name is not looked at (RFC 9525
/// §6.3). Each connection does a full handshake: sessions are not resumed. Revocation is not checked.
public struct TLSConfiguration: Sendable, Hashable {
    /// The certificate authorities that are trusted.
    public enum Trust: Sendable, Hashable {
        /// Those of the system, where OpenSSL looks for them; `SSL_CERT_FILE` and `SSL_CERT_DIR` are honoured.
        case system
        /// Those given and no others. Each certificate counts, also one that is no authority: a server's own.
        case only(PEMSource)
        /// Both.
        case systemAnd(PEMSource)
    }

    /// A version of TLS.
    public enum Version: Sendable, Hashable {
        case tls12
        case tls13
    }

    /// The certificate authorities that are trusted. The default is ``Trust/system``.
    public var trust = Trust.system
    /// The certificate and key for a server that asks for a client certificate. The default is none.
    public var identity: TLSIdentity?
    /// The oldest version of TLS that is accepted. The default is ``Version/tls12``.
    public var minimumVersion = Version.tls12
    /// The name or address that the server's certificate must be for, and that is sent as SNI, in place of the URL's
    /// host. For `wss+unix:` it is `localhost` unless this says otherwise.
    ///
    /// Rules are those of a host in a ``WebSocketURL``. So it is one name or address, and no pattern: a leading dot,
    /// which OpenSSL would take for "any name below", and `*` are refused with ``WebSocketError/Code/invalidConfiguration``.
    public var serverName: String?
    /// Whether any certificate is accepted, for any name. Everybody on the path can then read and change messages: for
    /// tests. The default is `false`.
    public var isInsecure = false

    public init() {}
}

/// A certificate with its private key.
public struct TLSIdentity: Sendable, Hashable {
    /// The certificate itself first, then the intermediate ones that lead to its root.
    public var certificateChain: PEMSource
    public var privateKey: PEMSource
    /// For a private key that is encrypted.
    public var passphrase: String?

    public init(certificateChain: PEMSource, privateKey: PEMSource, passphrase: String? = nil) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
        self.passphrase = passphrase
    }
}

/// Certificates or a key in PEM form (RFC 7468).
public enum PEMSource: Sendable, Hashable {
    /// The path of a regular file, or of a pipe whose writer is done within 5 seconds. At most 4 MiB are read; more is
    /// an error. Devices such as `/dev/zero`, folders and sockets are refused.
    case file(String)
    case bytes([UInt8])
}

extension PEMSource: CustomStringConvertible {
    /// The file's path, or that there are bytes; never their content, which may be a private key.
    public var description: String { name }
}

extension TLSIdentity: CustomStringConvertible {
    /// Where the certificates and the key come from, without the passphrase.
    public var description: String { "\(certificateChain) with the key of \(privateKey)" }
}
