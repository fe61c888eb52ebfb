// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The environment variables that concern proxies.
package struct ProxyEnvironment: Sendable {
    private let variable: @Sendable (String) -> String?

    init(_ variables: [String: String]) {
        variable = { variables[$0] }
    }

    private init(reading variable: @escaping @Sendable (String) -> String?) {
        self.variable = variable
    }

    /// The variables of this process.
    package static let process = ProxyEnvironment(reading: { name in
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    })

    func proxyURL(isSecure: Bool) -> String? {
        if isSecure { return value("https_proxy") ?? value("HTTPS_PROXY") ?? value("all_proxy") ?? value("ALL_PROXY") }
        let upper = value("REQUEST_METHOD") == nil ? value("HTTP_PROXY") : nil
        return value("http_proxy") ?? upper ?? value("all_proxy") ?? value("ALL_PROXY")
    }

    /// Returns whether `no_proxy` matches the host.
    func exempts(_ host: URLHost, port: UInt16) -> Bool {
        guard let list = value("no_proxy") ?? value("NO_PROXY") else { return false }
        return list.split { $0 == "," || $0.isWhitespace }.contains { entry in
            ProxyExemption(entry)?.covers(host, port: port) ?? false
        }
    }

    private func value(_ name: String) -> String? {
        guard let value = variable(name), !value.isEmpty else { return nil }
        return value
    }
}
