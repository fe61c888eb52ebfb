// swift-jsonrpc · SPDX-License-Identifier: MIT

/// An engine of another module. It connects, listens and implements WebSocket on the service threads of this module.
/// This module does the rest: names, time limits, the outbox, keepalive, limits, and notifying receivers.
package protocol EngineImplementation: Sendable {
    /// Throws ``WebSocketError`` with the code `invalidConfiguration` if the engine does not support an option.
    func check(_ configuration: WebSocketConfiguration) throws(WebSocketError)
    /// Throws ``WebSocketError`` if the engine does not support an option of a listener, or its address.
    func check(
        _ configuration: WebSocketListener.Configuration, at address: WebSocketListener.Address) throws(WebSocketError)
    /// Begins to connect. The engine reports the result to the opening once, at any time.
    func dial(_ opening: EngineOpening, on context: LWSContext)
    /// Listens. The engine sets ``EngineListener/driver`` and ``EngineListener/port``.
    func listen(_ listener: EngineListener, on context: LWSContext) throws(WebSocketError)
}

/// The engine's side of a connection, from the first attempt to connect. All methods return at once. Only
/// ``writeNow()`` and ``readOnce()`` call back.
package protocol EngineSocket: AnyObject {
    /// The descriptor of the socket, or a negative number if there is none.
    var descriptor: Int32 { get }
    /// The connection's `SSL`, or `nil` without TLS.
    var ssl: OpaquePointer? { get }
    /// Makes the engine write frames of the connection when the socket has room.
    func requestWriting()
    /// The same, but if the socket has room now, the frames are written before the method returns, unless the engine
    /// calls back at the moment.
    func writeNow()
    func setReading(_ isReading: Bool)
    /// Reads once if bytes have arrived, and delivers their messages. Returns `false` if nothing more can be read now.
    func readOnce() -> Bool
    /// Sends a CLOSE frame after the frames that were written.
    func sendClose(code: UInt16, reason: String)
    /// Ends the connection without a CLOSE frame.
    func hangUp()
    /// Ends the connection after a time, unless it has already ended.
    func hangUp(after time: Duration)
}

/// The engine's side of a listener.
package protocol EngineListening: AnyObject {
    /// Stops listening, and frees the port before it returns. Connections stay open.
    func stop()
}
