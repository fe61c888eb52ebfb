// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCCore
import Synchronization
package import WireJSON

/// The outcome of a call, for its task. The task adds the method to an error.
///
/// It must stay small: with large outcomes, the task's frame grows, and its ``CallTicket`` is no longer allocated in
/// it.
package typealias CallOutcome = Result<RawJSON, CallError>

extension CallOutcome {
    /// The outcome of a message that gets no response: it is in the transport's outbox.
    static var sent: Self { .success(.null) }
}

/// The receiver of a call's outcome.
///
/// Its continuations are unsafe and must be resumed exactly once. The state machine, which stores a waiter, returns it
/// in exactly one action. A waiter that is never stored is settled by the code that refuses it.
enum CallWaiter: SessionWaiter {
    case single(UnsafeContinuation<CallOutcome, Never>)
    /// A call with an observer.
    case watched(UnsafeContinuation<CallOutcome, Never>, CallWatch)
    /// One of several calls: a member of a batch, or a call of a ``FanOut``. Also a notification that waits for room.
    case inbox(OutcomeInbox, Int32)
    /// A whole array before it is sent, or an array of notifications alone.
    case array(OutcomeInbox, Range<Int32>)

    /// Ends the wait. It is never called under a lock.
    ///
    /// It consumes the outcome. The waiting task may release the outcome on another thread before this function
    /// returns, and two threads that count references to the same bytes would contend for a cache line.
    func settle(_ outcome: consuming CallOutcome) {
        switch self {
        case .single(let continuation): continuation.resume(returning: outcome)
        case .watched(let continuation, let watch):
            switch watch {
            case .progress(let route): route.close()
            case .end(let observer): observer.ended()
            case .lateAnswer(let late): late.callEnded(outcome)
            }
            continuation.resume(returning: outcome)
        case .inbox(let inbox, let slot): inbox.settle(slot, outcome)
        case .array(let inbox, let slots): inbox.settle(slots, outcome)
        }
    }
}

extension CallWaiter {
    var lateReceiver: LateAnswer? {
        if case .watched(_, .lateAnswer(let late)) = self { late } else { nil }
    }

    /// The call's own cancellation notice, for a session without a notice.
    var ownNotice: CancellationNotice? {
        if case .watched(_, .progress(let route)) = self { route.style.cancellationNotice } else { nil }
    }
}

/// An observer of a call, in addition to its task.
enum CallWatch: Sendable, Hashable {
    /// Gets the response if it comes after the call was cancelled or has timed out.
    case lateAnswer(LateAnswer)
    /// Gets the progress that comes before the response.
    case progress(ProgressRoute)
    /// Is called when the call ends, in order with the peer's other messages.
    case end(CallEndObserver)
}

/// An object that equals only itself.
protocol IdentityHashable: AnyObject, Hashable {}

extension IdentityHashable {
    static func == (left: Self, right: Self) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A closure that runs when a call ends: for a response, on the transport's thread, after the notifications before the
/// response were delivered to their streams, and before the notifications after it are.
///
/// A call that is repeated after a loss of the connection ends several times. The closure must return quickly.
final class CallEndObserver: Sendable, IdentityHashable {
    let ended: @Sendable () -> Void

    init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }
}

/// Links a caller's task to its table entry so that cancellation can find it.
///
/// The word changes only under the session's lock, and is atomic so that the type is `Sendable` by itself. It is not
/// copyable, so a ticket lives in the frame of its task.
struct CallTicket: ~Copyable, Sendable {
    private static let cancelled = UInt64.max
    /// 0 before the call is registered, its ``CallKey`` afterwards.
    private let word = Atomic<UInt64>(0)

    var key: CallKey? {
        get {
            let word = word.load(ordering: .relaxed)
            return word == 0 || word == Self.cancelled ? nil : CallKey(word: word)
        }
        nonmutating set {
            guard let newValue else { return }
            word.store(newValue.word, ordering: .relaxed)
        }
    }

    /// Whether the task was cancelled before the call was registered.
    var isCancelled: Bool { word.load(ordering: .relaxed) == Self.cancelled }

    func cancel() { word.store(Self.cancelled, ordering: .relaxed) }
}
