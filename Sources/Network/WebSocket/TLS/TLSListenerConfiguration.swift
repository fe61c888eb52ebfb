// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The options of TLS for a listener. Files are read once, when the listener starts.
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
