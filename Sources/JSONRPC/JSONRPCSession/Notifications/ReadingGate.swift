// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Decides whether a connection is read. It is read unless a holder stops it.
///
/// Holders call from several threads. The transport is notified under the owner's lock, so that it gets the decisions
/// in order. A hold from the thread that reads takes effect before that thread reads on. If another thread notified the
/// transport, much could be read before.
struct ReadingGate: Sendable {
    private var transport: (any MessageTransport)?
    /// The number of holds minus the number of releases, by holder. A release can overtake its hold.
    private var holds: [ObjectIdentifier: Int] = [:]
    /// The last decision passed to ``transport``.
    private var isReading = true

    /// Controls a new connection, which is being read; `nil` if there is none.
    mutating func attach(_ transport: (any MessageTransport)?) {
        self.transport = transport
        isReading = true
        tell()
    }

    mutating func hold(_ holder: AnyObject) { count(holder, 1) }

    /// Ends a hold, even if the hold has not arrived yet.
    mutating func release(_ holder: AnyObject) { count(holder, -1) }

    /// Repeats a decision to stop, because the transport may have resumed reading by itself.
    func renew() {
        if !isReading { transport?.setReading(false) }
    }

    private mutating func count(_ holder: AnyObject, _ change: Int) {
        let key = ObjectIdentifier(holder)
        let count = holds[key, default: 0] + change
        holds[key] = count == 0 ? nil : count
        tell()
    }

    private mutating func tell() {
        let isReading = !holds.values.contains { $0 > 0 }
        guard let transport, isReading != self.isReading else { return }
        self.isReading = isReading
        transport.setReading(isReading)
    }
}
