// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The streaming calls of a session, or of a client over time, by their tokens. It does no I/O and reads no clock.
struct StreamingCallTable<Queue: Sendable>: Sendable {
    /// A call and the route of its progress. The route is open from the beginning of the call to its response.
    private struct Call {
        /// The method and the form of the progress.
        let claim: SubscriptionClaim
        let queue: Queue
        var isOpen = false
        /// Whether progress has come since the call was opened.
        var hasDelivered = false
        /// The time at which the call began, or the time of the latest progress or of the response.
        var lastActivity: SessionTime
    }

    private var calls: [String: Call] = [:]
    private var forms = FormUses(maximumRetired: 0)
    private var nextToken: UInt64 = 1

    var count: Int { calls.count }

    var queues: [Queue] { calls.values.map(\.queue) }

    /// Returns the forms in which a notification with this method must be read.
    func forms(of method: String) -> [NotificationForm] { forms.others(of: method) }

    mutating func add(_ style: ProgressStyle, _ queue: Queue, now: SessionTime) -> String {
        let token = "call-\(nextToken)"
        nextToken += 1
        let claim = SubscriptionClaim.id(style.form, method: style.notification)
        calls[token] = Call(claim: claim, queue: queue, lastActivity: now)
        forms.began(claim)
        return token
    }

    mutating func remove(_ token: String) {
        if let call = calls.removeValue(forKey: token) { forms.ended(call.claim) }
    }

    /// Opens a call that is sent, or sent again in another connection or by an interceptor. Returns whether an earlier
    /// attempt has made progress.
    mutating func open(_ token: String, now: SessionTime) -> Bool {
        let isRepetition = calls[token]?.hasDelivered == true
        calls[token]?.isOpen = true
        calls[token]?.hasDelivered = false
        calls[token]?.lastActivity = now
        return isRepetition
    }

    mutating func close(_ token: String, now: SessionTime) {
        calls[token]?.isOpen = false
        calls[token]?.lastActivity = now
    }

    /// Returns the time of the latest progress or of the response; `nil` if the call has ended.
    func lastActivity(_ token: String) -> SessionTime? { calls[token]?.lastActivity }

    /// Handles a notification. Returns the queue of its call; `nil` if it is not the progress of an open call.
    mutating func arrived(_ progress: RoutedNotification, now: SessionTime) -> Queue? {
        guard case .id(let form, .string(let token)) = progress.route, let call = calls[token], call.isOpen,
            call.claim == .id(form, method: progress.notification.method)
        else { return nil }
        calls[token]?.hasDelivered = true
        calls[token]?.lastActivity = now
        return call.queue
    }
}
