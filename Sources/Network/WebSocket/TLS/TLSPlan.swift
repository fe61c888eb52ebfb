// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The TLS options of a connection, with the name or address that the certificate must be for.
struct TLSPlan: Sendable, Hashable {
    var configuration: TLSConfiguration
    var serverName: ServerName

    /// Makes a plan.
    ///
    /// - Parameter serverName: The name from the URL. The name in the configuration takes precedence.
    init(configuration: TLSConfiguration, serverName: ServerName) throws(WebSocketError) {
        self.configuration = configuration
        self.serverName = serverName
        guard let name = configuration.serverName else { return }
        do {
            self.serverName = try URLHost(name.contains(":") ? "[\(name)]"[...] : name[...]).serverName
        } catch {
            throw WebSocketError(
                .invalidConfiguration, "Could not use the server name for TLS: \(error.reason).")
        }
    }
}
