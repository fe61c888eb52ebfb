// swift-jsonrpc · SPDX-License-Identifier: MIT

/// TLS of a listener. Files are read once, when it starts to listen.
public struct TLSListenerConfiguration: Sendable, Hashable {
    /// The listener's certificate and key.
    public var identity: TLSIdentity
    /// The authorities of client certificates. A client without a certificate from one of them fails the handshake. The
    /// default is `nil`: clients are not asked.
    public var clientAuthorities: PEMSource?
    /// The oldest version of TLS that is accepted. The default is `tls12`.
    public var minimumVersion = TLSConfiguration.Version.tls12
    /// The newest version of TLS that is accepted. The default is `tls13`.
    public var maximumVersion = TLSConfiguration.Version.tls13

    public init(identity: TLSIdentity) { self.identity = identity }
}
