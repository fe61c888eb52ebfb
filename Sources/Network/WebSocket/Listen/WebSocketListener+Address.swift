// swift-jsonrpc · SPDX-License-Identifier: MIT

extension WebSocketListener.Address {
    /// Returns the address for `bind`. Throws ``WebSocketError`` with the code `listenFailed` if no machine can listen
    /// at such an address.
    func socketAddress() throws(WebSocketError) -> SocketAddress {
        switch self {
        case .unixSocket(let path):
            if !path.isEmpty, let address = SocketAddress(unixSocketPath: path) { return address }
            throw WebSocketError(
                .listenFailed,
                "Could not listen at \"\(path)\": the path is empty, longer than 107 bytes, or contains a zero byte.")
        case .host(let host, let port):
            guard let number = UInt16(exactly: port) else {
                throw WebSocketError(
                    .listenFailed, "Could not listen at port \(port): a port must be a number from 0 to 65535.")
            }
            if let address = SocketAddress(numericHost: host, port: number) { return address }
            throw WebSocketError(
                .listenFailed, "Could not listen at \"\(host)\": the host must be a numeric address of this machine.")
        }
    }

    func listeningSocket() throws(WebSocketError) -> ListeningSocket {
        var path: String?
        if case .unixSocket(let given) = self { path = given }
        let address = try socketAddress()
        do throws(SocketFault) { return try ListeningSocket(at: address, path: path) } catch { throw failure(error) }
    }

    func failure(_ fault: SocketFault) -> WebSocketError {
        WebSocketError(
            .listenFailed, "Could not listen at \(self): \(fault.reason).", systemError: fault.systemError,
            isRetryable: fault.isRetryable)
    }
}
