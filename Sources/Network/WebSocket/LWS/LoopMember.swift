// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// An object that a service thread serves, such as a listener. It is only used on that thread.
protocol LoopMember: AnyObject {
    var id: UInt64 { get }
    /// Tells the member that the event loops are shutting down. It should end by the deadline.
    func loopStops(deadline: Duration)
    /// Tells the member that the event loop is ending. It must end at once.
    func loopEnded()
}

/// The numbers of members. A number belongs to one member at a time.
enum LoopMemberID {
    private static let nextID = Atomic<UInt64>(1)

    static func next() -> UInt64 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// An attempt to connect.
protocol DialAttempt: LoopMember {
    /// Ends the attempt, unless it has already ended.
    func abandon(because error: WebSocketError)
}

/// A listener.
protocol ListeningMember: LoopMember {
    /// Stops listening, frees the port, and closes the connections whose opening handshake is not done. Other
    /// connections stay open.
    func stop()
}

/// A member that reads and writes messages. Messages that are read or enqueued in one pass of the loop are delivered
/// and written together.
package class LoopConnection: LoopMember {
    final let id: UInt64
    /// Whether the connection writes at the end of this pass. Only the context changes it.
    final var isInWriteList = false

    init(id: UInt64) { self.id = id }

    /// Handles the report in the mailbox that messages were enqueued on another thread.
    func messagesWereMarked() {}
    /// Ends the delivery of messages that were read in this pass, after ``LWSContext/readBegan(_:)``.
    func endRead() {}
    /// Writes as much as the socket takes.
    func write() {}
    /// Suspends or resumes reading.
    func setReading(_ isReading: Bool) {}
    /// Reads the bytes that have already arrived.
    func readArrived() {}
    /// Closes the connection from this side. The queued messages are sent first. `isRelayed` says whether the codes
    /// 1005 and 1006 are kept, to end the connection in the same way as another one ended.
    func close(code: UInt16, reason: String, isRelayed: Bool, deadline: Duration) {}
    func loopStops(deadline: Duration) {}
    func loopEnded() {}
}

/// A request to a service thread.
struct LoopCommand: Sendable {
    /// Executes the command, on the service thread.
    let perform: @Sendable (LWSContext) -> Void
    /// Refuses the command if it will not be executed. The argument is the reason why the thread could not start, or
    /// `nil` if the event loops are shut down.
    var refuse: @Sendable (Fault?) -> Void = { _ in }
}
