// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// An object that a service thread serves, such as a listener. It is only used on that thread.
package protocol LoopMember: AnyObject {
    var id: UInt64 { get }
    /// Tells the member that the event loops are shutting down. It should end by the deadline.
    func loopStops(deadline: Duration)
    /// Tells the member that the event loop is ending. It must end at once.
    func loopEnded()
}

/// The numbers of members. A number belongs to one member at a time.
package enum LoopMemberID {
    private static let nextID = Atomic<UInt64>(1)

    package static func next() -> UInt64 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// A member that reads and writes messages. Messages that are read or enqueued in one pass of the loop are delivered
/// and written together.
package protocol LoopConnection: LoopMember {
    /// A mark of its own, which does not change.
    var writeMark: WriteMark { get }
    /// Handles the report in the mailbox that messages were enqueued on another thread.
    func messagesWereMarked()
    /// Ends the delivery of messages that were read in this pass, after ``LWSContext/readBegan(_:)``.
    func endRead()
    /// Writes as much as the socket takes.
    func write()
    func setReading(_ isReading: Bool)
    /// Reads the bytes that have already arrived.
    func readArrived()
}

/// Says whether a connection writes at the end of this pass. Only the context changes it.
package final class WriteMark {
    var isSet = false

    package init() {}
}

/// An object that uses lws itself on a service thread, such as for connections that lws makes and polls.
package protocol LoopAttachment: AnyObject {
    /// Tells the object that the thread is ending. It must close all its sockets before it returns.
    func loopEnded()
}

/// A client's connection of lws whose TLS handshake has not begun.
package protocol TLSOpening: AnyObject {
    /// The connection's `SSL`, or `nil` if there is none yet.
    var ssl: OpaquePointer? { get }
    /// Sets up the `SSL` at the beginning of its handshake.
    @unsafe func handshakeBegins(on ssl: OpaquePointer)
}

package struct LoopCommand: Sendable {
    /// Executes the command, on the service thread.
    let perform: @Sendable (LWSContext) -> Void
    /// Refuses the command if it will not be executed. The argument is the reason why the thread could not start, or
    /// `nil` if the event loops are shut down.
    let refuse: @Sendable (SocketFault?) -> Void

    package init(
        _ perform: @escaping @Sendable (LWSContext) -> Void,
        refuse: @escaping @Sendable (SocketFault?) -> Void = { _ in }
    ) {
        self.perform = perform
        self.refuse = refuse
    }
}
