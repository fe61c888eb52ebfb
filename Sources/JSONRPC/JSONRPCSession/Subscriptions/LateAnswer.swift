// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import WireJSON

/// The receiver of the response to a call that was cancelled or has timed out after it was sent.
final class LateAnswer: Sendable, Hashable {
    /// A relaxed order suffices: the caller reads it after its call has ended.
    private let expected = Atomic(false)
    private let take: @Sendable (RawJSON?, SessionDriver) -> Void

    /// - Parameter take: Gets the result, or `nil` for an error, on the transport's thread. It must not block.
    init(_ take: @escaping @Sendable (RawJSON?, SessionDriver) -> Void) { self.take = take }

    /// Whether the call ended before its response, which may still come.
    var isExpected: Bool { expected.load(ordering: .relaxed) }

    /// Notes that the call ended after it was sent. It is called under the session's lock.
    func expect() { expected.store(true, ordering: .relaxed) }

    func came(_ outcome: CallOutcome, _ driver: SessionDriver) {
        if case .success(let result) = outcome { take(result, driver) } else { take(nil, driver) }
    }

    static func == (left: LateAnswer, right: LateAnswer) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
