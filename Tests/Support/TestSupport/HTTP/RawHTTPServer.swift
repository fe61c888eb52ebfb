// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// A server on 127.0.0.1 that reads the head of a request and then sends whatever a test wants, byte by byte.
///
/// Each connection runs the script on its own thread and is closed at the script's end. Releasing the server stops it.
public final class RawHTTPServer: Sendable {
    /// The port of 127.0.0.1.
    public let port: Int
    /// The heads of the requests that scripts have read with ``RawSocket/readRequest(_:)``, in order.
    public let heads = EventLog<String>()
    /// The number of each connection that ended, with the error of its script if it had one.
    public let ends = EventLog<(connection: Int, error: (any Error)?)>()
    private let listener: LoopbackSocket

    /// Listens, and runs a script on each connection.
    ///
    /// - Parameter script: Gets the connection, and its number. The first is 1.
    public init(backlog: Int32 = 64, script: @escaping @Sendable (RawHTTPConnection) throws -> Void) throws {
        listener = try LoopbackSocket.listening(backlog: backlog)
        port = Int(try listener.localPort())
        BlockingThread.run { [listener, heads, ends] in
            var number = 0
            while true {
                let descriptor = accept(listener.descriptor, nil, nil)
                if descriptor < 0 {
                    if errno == EINTR || errno == ECONNABORTED { continue }
                    return
                }
                number += 1
                Self.serve(descriptor, number: number, heads: heads, ends: ends, script: script)
            }
        }
    }

    deinit { listener.shutDown() }

    /// The authority for URLs.
    public var authority: String { "127.0.0.1:\(port)" }

    private static func serve(
        _ descriptor: Int32, number: Int, heads: EventLog<String>,
        ends: EventLog<(connection: Int, error: (any Error)?)>,
        script: @escaping @Sendable (RawHTTPConnection) throws -> Void
    ) {
        BlockingThread.run {
            let connection = RawHTTPConnection(
                socket: RawSocket(descriptor: descriptor), number: number, heads: heads)
            var failure: (any Error)?
            do { try script(connection) } catch { failure = error }
            connection.socket.close()
            ends.record((number, failure))
        }
    }
}

/// A connection to a ``RawHTTPServer``.
public struct RawHTTPConnection {
    public let socket: RawSocket
    /// The number of the connection. The first is 1.
    public let number: Int
    fileprivate let heads: EventLog<String>

    /// Reads the head of a request; `nil` if the connection ends before it.
    public func readHead() throws -> String? {
        do {
            let head = try socket.readHead()
            heads.record(head)
            return head
        } catch RawSocketError.ended {
            return nil
        }
    }

    /// Reads the body that `Content-Length` announces, or chunks.
    public func readBody(of head: String) throws -> [UInt8] {
        let fields = head.lowercased().split(separator: "\r\n")
        if fields.contains("transfer-encoding: chunked") { return try readChunks() }
        let length = fields.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        guard let body = try socket.read(length) else { throw RawSocketError.ended }
        return body
    }

    /// Waits until the client closes the connection. Bytes that come before are dropped.
    public func waitForEnd() {
        while (try? socket.read(1)) ?? nil != nil {}
    }

    private func readChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            var line: [UInt8] = []
            while !line.suffix(2).elementsEqual([13, 10]) {
                guard let byte = try socket.read(1) else { throw RawSocketError.ended }
                line += byte
            }
            guard let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16),
                let chunk = try socket.read(size + 2)
            else { throw RawSocketError.ended }
            if size == 0 { return body }
            body += chunk.dropLast(2)
        }
    }
}
