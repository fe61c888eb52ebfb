// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A CONNECT request and its answer (RFC 9110 §9.3.6), over a socket that leads to a proxy.
struct ProxyTunnel {
    let credentials: BasicCredentials?
    /// Host and port to ask for.
    let authority: String

    /// The longest answer's head that is taken.
    private static let maximumHeadBytes = 16 * 1024

    /// Blocks until the proxy has answered. Gives back the same socket, from which exactly the answer's head was read.
    func open(through socket: ConnectedSocket, _ abandonment: AbandonmentSignal) throws -> ConnectedSocket {
        let descriptor = socket.take()
        let stream = BlockingStream(descriptor: descriptor, abandonment: abandonment)
        do {
            try stream.send(request)
            try check(try stream.receiveHead(maximumBytes: Self.maximumHeadBytes))
        } catch {
            close(descriptor)
            throw error
        }
        return ConnectedSocket(descriptor: descriptor, peer: "\(authority) by way of \(socket.peer)")
    }

    var request: [UInt8] {
        var text = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
        if let credentials { text += "Proxy-Authorization: \(credentials.fieldValue)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// - Throws: ``WebSocketError`` unless the head's status is 2xx.
    func check(_ head: [UInt8]) throws(WebSocketError) {
        let line = String(decoding: head.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]), (100...599).contains(status)
        else {
            throw WebSocketError(.proxyFailed, "The proxy's answer is not HTTP.")
        }
        guard (200...299).contains(status) else {
            let phrase = parts.count > 2 ? " (\(parts[2]))" : ""
            throw WebSocketError(
                .proxyFailed, "The proxy refused to connect to \(authority): status \(status)\(phrase).",
                systemError: nil, proxyStatus: status)
        }
    }
}

/// A nonblocking socket, read and written by a thread that may block and can be told to give up.
struct BlockingStream {
    let descriptor: Int32
    let abandonment: AbandonmentSignal

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Self.send(descriptor, buffer)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else {
                try recover(from: errno, waitingFor: POLLOUT)
            }
        }
    }

    /// Reads up to and with the empty line that ends an HTTP head, and nothing after it.
    func receiveHead(maximumBytes: Int) throws -> [UInt8] {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while head.count < maximumBytes {
            // Looked at first, so that what follows the head stays in the socket.
            let seen = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_PEEK))
            if seen == 0 {
                throw WebSocketError(.proxyFailed, "The proxy closed the connection without an answer.")
            }
            if seen < 0 {
                try recover(from: errno, waitingFor: POLLIN)
                continue
            }
            let (count, isComplete) = Self.headPart(of: buffer[..<seen], after: head)
            let taken = unsafe recv(descriptor, &buffer, count, 0)
            guard taken == count else { throw WebSocketError(.proxyFailed, "The proxy's answer broke off.") }
            head += buffer[..<count]
            if isComplete { return head }
        }
        throw WebSocketError(.proxyFailed, "The proxy's answer is longer than \(maximumBytes) bytes.")
    }

    /// How many of the bytes belong to the head, and whether its end is among them.
    static func headPart(of bytes: ArraySlice<UInt8>, after head: [UInt8]) -> (count: Int, isComplete: Bool) {
        var tail = Array(head.suffix(3))
        for (offset, byte) in bytes.enumerated() {
            tail.append(byte)
            // A bare LF ends a line too (RFC 9112 §2.2).
            if tail.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A] || tail.suffix(2) == [0x0A, 0x0A] {
                return (offset + 1, true)
            }
            if tail.count > 4 { tail.removeFirst() }
        }
        return (bytes.count, false)
    }

    private static func send(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
        let flags = Int32(MSG_NOSIGNAL)
        #if canImport(Musl)
            return unsafe Musl.send(descriptor, buffer.baseAddress, buffer.count, flags)
        #else
            return unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, flags)
        #endif
    }

    private func recover(from code: Int32, waitingFor event: Int32) throws {
        guard code == EAGAIN || code == EINTR else {
            throw WebSocketError(
                .proxyFailed, "The connection to the proxy failed: \(errorText(code)).", systemError: code)
        }
        var polls = [
            pollfd(fd: descriptor, events: Int16(event), revents: 0),
            pollfd(fd: abandonment.readDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&polls, 2, -1)
        if polls[1].revents != 0 { throw CancellationError() }
    }
}
