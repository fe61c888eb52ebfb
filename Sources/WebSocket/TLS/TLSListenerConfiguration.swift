// swift-jsonrpc · SPDX-License-Identifier: MIT

/// How a listener speaks TLS. Files are read once, when it starts to listen.
public struct TLSListenerConfiguration: Sendable, Hashable {
    public var identity: TLSIdentity
    /// The authorities whose certificates clients must show; nil to ask for none.
    public var clientAuthorities: PEMSource?
    public var minimumVersion: TLSConfiguration.Version
    public var maximumVersion: TLSConfiguration.Version

    public init(
        identity: TLSIdentity, clientAuthorities: PEMSource? = nil,
        minimumVersion: TLSConfiguration.Version = .tls12, maximumVersion: TLSConfiguration.Version = .tls13
    ) {
        self.identity = identity
        self.clientAuthorities = clientAuthorities
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
    }
}
