// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The TLS options of a client. Files are read again for each connection.
///
/// One of the certificate's alternative names must match the server's name. The common name is ignored (RFC 9525 §6.3).
/// Each connection does a full handshake, because sessions are not resumed. Revocation is not checked.
public struct TLSConfiguration: Sendable, Hashable {
    /// The certificate authorities that are trusted.
    public enum Trust: Sendable, Hashable {
        /// The system's authorities, from OpenSSL's locations, or from `SSL_CERT_FILE` and `SSL_CERT_DIR` if set.
        case system
        /// Only the given certificates. A server's own certificate is trusted, too, even if it is no authority.
        case only(TLSConfiguration.PEMSource)
        /// The system's authorities and the given certificates.
        case systemAnd(TLSConfiguration.PEMSource)
    }

    /// A version of TLS.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// The certificate authorities that are trusted. The default is ``Trust/system``.
    public var trust = Trust.system
    /// The certificate and key for a server that requests a client certificate. The default is none.
    public var identity: TLSConfiguration.Identity?
    /// The oldest version of TLS that is accepted. The default is ``Version/tls12``.
    public var minimumVersion = Version.tls12
    /// The name or address that the server's certificate must be for. It replaces the URL's host, and is sent as SNI.
    /// The default is the URL's host, or `localhost` for `wss+unix:`.
    ///
    /// The rules for a host in a `WebSocketURL` apply. The value is one name or address, not a pattern. A `*`, and a
    /// leading dot, with which OpenSSL would accept every subdomain, are refused with
    /// `WebSocketError.Code.invalidConfiguration`.
    public var serverName: String?
    /// Whether every certificate is accepted for every name. Anyone on the path can then read and change messages, so
    /// only set it in tests. The default is `false`.
    public var isInsecure = false

    public init() {}

    /// A certificate with its private key.
    public struct Identity: Sendable, Hashable, CustomStringConvertible {
        /// The certificate, followed by the intermediate certificates that lead to its root.
        public var certificateChain: TLSConfiguration.PEMSource
        /// The private key of the first certificate.
        public var privateKey: TLSConfiguration.PEMSource
        /// The passphrase of an encrypted private key. The default is `nil`.
        public var passphrase: String?

        /// Makes an identity.
        ///
        /// - Parameters:
        ///   - certificateChain: The certificate, followed by the intermediate certificates that lead to its root.
        ///   - privateKey: The private key of the first certificate.
        ///   - passphrase: The passphrase, if the private key is encrypted.
        public init(
            certificateChain: TLSConfiguration.PEMSource, privateKey: TLSConfiguration.PEMSource,
            passphrase: String? = nil
        ) {
            self.certificateChain = certificateChain
            self.privateKey = privateKey
            self.passphrase = passphrase
        }

        /// The sources of the certificates and the key, without the passphrase.
        public var description: String { "\(certificateChain) with the key of \(privateKey)" }
    }

    /// Certificates or a key in PEM form (RFC 7468).
    public enum PEMSource: Sendable, Hashable, CustomStringConvertible {
        /// The path of a regular file, or of a pipe whose writer closes it within 5 seconds. A file above 4 MiB is an
        /// error. Devices such as `/dev/zero`, directories and sockets are refused.
        case file(String)
        /// The bytes themselves.
        case bytes([UInt8])

        /// The file's path, or a placeholder for bytes. The content is not included, because it may be a private key.
        public var description: String { name }
    }
}

/// The TLS options of a listener. Files are read once, when the listener starts.
public struct TLSListenerConfiguration: Sendable, Hashable {
    /// The listener's certificate and key.
    public var identity: TLSConfiguration.Identity
    /// The authorities of client certificates. The handshake fails for a client without a certificate from one of them.
    /// The default is `nil`: no certificate is requested from clients.
    public var clientAuthorities: TLSConfiguration.PEMSource?
    /// The oldest version of TLS that is accepted. The default is `tls12`.
    public var minimumVersion = TLSConfiguration.Version.tls12
    /// The newest version of TLS that is accepted. The default is `tls13`.
    public var maximumVersion = TLSConfiguration.Version.tls13

    /// Makes a configuration with the defaults for all other options.
    ///
    /// - Parameter identity: The listener's certificate and key.
    public init(identity: TLSConfiguration.Identity) { self.identity = identity }
}
