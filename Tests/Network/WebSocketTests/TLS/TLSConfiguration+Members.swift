// swift-jsonrpc · SPDX-License-Identifier: MIT

import WebSocket

/// Makes configurations in one expression.
extension TLSConfiguration {
    init(
        trust: Trust = .system, identity: TLSConfiguration.Identity? = nil, serverName: String? = nil,
        isInsecure: Bool = false
    ) {
        self.init()
        self.trust = trust
        self.identity = identity
        self.serverName = serverName
        self.isInsecure = isInsecure
    }

    static let insecure = TLSConfiguration(isInsecure: true)
}

extension TLSListenerConfiguration {
    init(
        identity: TLSConfiguration.Identity, clientAuthorities: TLSConfiguration.PEMSource?,
        versions: (TLSConfiguration.Version, TLSConfiguration.Version) = (.tls12, .tls13)
    ) {
        self.init(identity: identity)
        self.clientAuthorities = clientAuthorities
        minimumVersion = versions.0
        maximumVersion = versions.1
    }
}
