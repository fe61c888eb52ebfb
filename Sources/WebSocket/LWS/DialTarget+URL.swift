// swift-jsonrpc · SPDX-License-Identifier: MIT

extension DialTarget {
    /// Reads `ws://` with a numeric host, and `ws+unix:`.
    init(url: String) throws(WebSocketError) {
        let invalid = WebSocketError(.invalidURL, "\(url) is no URL that can be connected to.")
        if url.hasPrefix("ws+unix:") {
            var rest = url.dropFirst("ws+unix:".count)
            if rest.hasPrefix("//") { rest = rest.dropFirst(2) }
            let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let socket = parts.first, !socket.isEmpty else { throw invalid }
            self.init(
                addresses: ["+\(socket)"], port: 0, path: parts.count > 1 ? String(parts[1]) : "/", host: "localhost")
            return
        }
        guard url.hasPrefix("ws://") else { throw invalid }
        let rest = url.dropFirst("ws://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        var path = String(rest.dropFirst(authority.count))
        if !path.hasPrefix("/") { path = "/" + path }
        var host = authority
        var port = 80
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            host = authority[..<colon]
            guard let number = UInt16(authority[authority.index(after: colon)...]) else { throw invalid }
            port = Int(number)
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { throw invalid }
        let address = host == "localhost" ? "127.0.0.1" : String(host)
        self.init(addresses: [address], port: port, path: path, host: String(authority))
    }
}
