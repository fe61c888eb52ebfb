// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
package import JSONRPCCore
package import JSONRPCSession
import Synchronization
package import WireJSON

/// Calls with equal keys may share a POST.
struct GatheringKey: Hashable, Sendable {
    var headerFields: HTTPFields
    var timeout: CallTimeout
    var priority: UInt8?
}

/// The part of a call after the interceptors.
extension JSONRPCHTTPClient: PlainSender {
    package var clock: any SessionClock { poster.clock }
    package var interceptors: [any CallInterceptor] { poster.configuration.calls.interceptors }

    package func send(call: OutboundCall) async throws -> RawJSON {
        try check(call)
        let member = poster.encode(call.method, call.params, call.options, isNotification: false)
        guard let sharing, member.isIdempotent else { return try await send(member, of: call) }
        let key = SharedCalls.Key(tail: member.tail, headerFields: headerFields, timeout: call.timeout)
        return try await sharing.result(for: key) { try await self.send(member, of: call) }
    }

    private func send(_ member: EncodedMember, of call: OutboundCall) async throws -> RawJSON {
        if let scheduler, options.gathering?.sendsAlone(call.method) == false {
            let key = GatheringKey(
                headerFields: headerFields, timeout: call.timeout, priority: Task.basePriority?.rawValue)
            return try await scheduler.result(of: member, key: key, bytes: member.bytes)
        }
        switch await outcome(of: member, call.timeout) {
        case .success(let result): return result
        case .failure(let error): throw error.underlying
        case nil: throw ClientError.missingResponse(received: nil, delivery: .outcomeUnknown)
        }
    }

    package func send(notification: OutboundCall) async throws {
        try check(notification)
        let member = poster.encode(
            notification.method, notification.params, notification.options, isNotification: true)
        if case .failure(let error)? = await outcome(of: member, .default) { throw error.underlying }
    }

    package func send(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        let members = try encode(entries)
        let executor = executor(members, timeout)
        if pace == .together {
            let outcomes = Mutex([Result<RawJSON, CallError>?](repeating: nil, count: members.count))
            await executor.run { index, outcome in outcomes.withLock { $0[index] = outcome } }
            for (index, outcome) in outcomes.withLock({ $0 }).enumerated() {
                if let outcome { eachOutcome(index, outcome) }
            }
            return
        }
        let inbox = OutcomeInbox()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await executor.run { inbox.settle($0, $1) }
                inbox.signal()
            }
            while let outcomes = await inbox.next() {
                for (index, outcome) in outcomes { eachOutcome(index, outcome) }
            }
        }
    }

    /// Sends a lone member. Returns its outcome; `nil` for a notification that was sent.
    private func outcome(of member: EncodedMember, _ timeout: CallTimeout) async -> Result<RawJSON, CallError>? {
        let outcome = Mutex<Result<RawJSON, CallError>?>(nil)
        await executor([member], timeout).run { _, ended in outcome.withLock { $0 = ended } }
        return outcome.withLock { $0 }
    }

    private func encode(_ entries: [BatchEntry]) throws -> [EncodedMember] {
        for entry in entries { try checkParams(entry.params, entry.method) }
        return entries.map {
            poster.encode($0.method, $0.params, $0.options, isNotification: $0.isNotification)
        }
    }

    private func executor(_ members: [EncodedMember], _ timeout: CallTimeout) -> BatchExecutor {
        BatchExecutor(
            poster: poster, members: members, fields: headerFields, deadline: poster.deadline(of: members, timeout),
            limits: poster.configuration.calls.batchLimits)
    }

    static func scheduler(
        _ gathering: CallGathering, _ poster: Poster
    ) -> BatchScheduler<EncodedMember, GatheringKey> {
        let limits = SessionConfiguration.BatchLimits(
            maximumMembers: gathering.maximumMembers, maximumBytes: gathering.maximumBytes)
        return BatchScheduler(
            window: gathering.window, clock: poster.clock, limits: { poster.lowered(limits) },
            carryOut: { batch in
                let executor = BatchExecutor(
                    poster: poster, members: batch.members, fields: batch.key.headerFields,
                    deadline: poster.deadline(of: batch.members, batch.key.timeout), limits: limits,
                    isWaiting: { batch.isWaiting($0) })
                await executor.run { batch.settle($0, $1.mapError(\.underlying)) }
            })
    }
}

extension Poster {
    /// Returns the end of the timeout that began with the first member.
    func deadline(of members: [EncodedMember], _ timeout: CallTimeout) -> SessionTime? {
        guard let limit = timeout.duration(configured: configuration.calls.timeout) else { return nil }
        return (members.map(\.begun).min() ?? clock.now).advanced(by: limit)
    }
}

extension OutcomeInbox {
    fileprivate func settle(_ index: Int, _ outcome: Result<RawJSON, CallError>) {
        settle(Int32(truncatingIfNeeded: index), outcome)
    }

    /// Waits for outcomes, and takes them; `nil` after the signal that no further outcome will come.
    fileprivate func next() async -> [(index: Int, outcome: Result<RawJSON, CallError>)]? {
        var arrivals: [Arrival] = []
        await take(&arrivals)
        guard !arrivals.isEmpty else { return nil }
        return arrivals.map { (Int($0.slot), $0.outcome) }
    }
}
