// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

/// How a call ended, as its task gets to know.
enum CallOutcome: Sendable {
    case result(RawJSON)
    case error(ErrorObject, id: RequestID?)
    case failure(CallFailure)
    case cancelled
    /// A notification has gone to the transport.
    case sent
}

/// Why a call failed on this side: a `ClientError` but for what its task knows better.
struct CallFailure: Sendable {
    var code: ClientError.Code
    var message: String
    var delivery: Delivery
    var cause: (any Error)?
    var requestID: RequestID?
    var closeCode: UInt16?
    var irregularity: Irregularity?
    var received: [UInt8]?

    func error(method: String?) -> ClientError {
        ClientError(
            code, message, cause: cause, requestID: requestID, method: method, delivery: delivery,
            closeCode: closeCode, irregularity: irregularity, received: received)
    }
}

/// Who waits.
///
/// Its continuations are unsafe ones, which must be resumed exactly once: the state machine, which stores a waiter,
/// gives it out in exactly one action, and a waiter that never gets there is settled where it is refused.
enum CallWaiter: Sendable {
    case single(UnsafeContinuation<CallOutcome, Never>)
    /// One member of a batch.
    case member(BatchCollector, Int)
    /// A whole array, before it is sent; or one of notifications alone.
    case batch(BatchCollector, Range<Int>)

    /// Ends the wait. Never called under a lock.
    ///
    /// It consumes the outcome, which the waiting task may be done with on another thread before this returns: two
    /// threads counting references to the same bytes would wait for each other's cache lines.
    func settle(_ outcome: consuming CallOutcome) {
        switch self {
        case .single(let continuation): continuation.resume(returning: outcome)
        case .member(let collector, let index): collector.settle(index, outcome)
        case .batch(let collector, let indices): collector.settle(indices, outcome)
        }
    }
}

/// Ties a caller's task to its entry in the state machine, for cancellation.
///
/// The word changes only under the session's lock, and is atomic so that the class is `Sendable` by itself.
final class CallTicket: Sendable {
    private static let cancelled = UInt64.max
    /// 0 before the call is registered; then its ``CallKey``.
    private let word = Atomic<UInt64>(0)

    var key: CallKey? {
        get {
            let word = word.load(ordering: .relaxed)
            return word == 0 || word == Self.cancelled ? nil : CallKey(word: word)
        }
        set {
            guard let newValue else { return }
            word.store(newValue.word, ordering: .relaxed)
        }
    }

    /// True when the task was cancelled before the call was registered.
    var isCancelled: Bool { word.load(ordering: .relaxed) == Self.cancelled }

    func cancel() { word.store(Self.cancelled, ordering: .relaxed) }
}
