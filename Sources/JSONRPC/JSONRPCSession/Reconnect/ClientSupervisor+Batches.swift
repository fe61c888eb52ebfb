// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

// Batches of a client that reconnects. After a loss, only the members that may be repeated are sent again.
extension ClientSupervisor {
    func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try Task.checkCancellation()
        guard !entries.isEmpty else { return }
        var members = entries.indices.map { index in
            BatchMember(
                index: index, repetition: repetition(timeout, entries[index].options))
        }
        var session: DuplexSession
        var rest: CallTimeout
        do {
            (session, rest) = try await readySession(timeout, &members[0].repetition)
        } catch {
            return giveUp(members, entries, error, eachOutcome)
        }
        members = try await send(members, of: entries, rest, pace, session, eachOutcome)
        // From here on, members have outcomes, and nothing may be thrown.
        while !members.isEmpty {
            noteEnd(of: session)
            do {
                (session, rest) = try await readySession(timeout, &members[0].repetition)
                try Task.checkCancellation()
                members = try await send(members, of: entries, rest, pace, session, eachOutcome)
            } catch {
                return giveUp(members, entries, error, eachOutcome)
            }
        }
    }

    /// Sends members in a session. Returns those that must be sent again.
    private func send(
        _ members: [BatchMember], of entries: [BatchEntry], _ timeout: CallTimeout, _ pace: BatchEntry.OutcomePace,
        _ session: DuplexSession, _ eachOutcome: (Int, Result<RawJSON, CallError>) -> Void
    ) async throws -> [BatchMember] {
        var lost: [BatchMember] = []
        try await session.batch(members.map { entries[$0.index] }, timeout: timeout, pace: pace) { place, outcome in
            var member = members[place]
            guard case .failure(.failed(let error)) = outcome else { return eachOutcome(member.index, outcome) }
            if isOver(session), member.repetition.mayRepeat(after: error) {
                lost.append(member)
            } else {
                eachOutcome(member.index, .failure(.failed(member.repetition.error(error, error.method))))
            }
        }
        return lost.sorted { $0.index < $1.index }
    }

    /// Ends members for which there is no connection.
    private func giveUp(
        _ members: [BatchMember], _ entries: [BatchEntry], _ error: any Error,
        _ eachOutcome: (Int, Result<RawJSON, CallError>) -> Void
    ) {
        for member in members {
            let method = entries[member.index].method
            guard let error = error as? ClientError else {
                eachOutcome(member.index, .failure(.cancelled))
                continue
            }
            eachOutcome(
                member.index, .failure(.failed(member.repetition.error(withoutConnection: error, method))))
        }
    }
}

/// A member of a batch that has no outcome yet.
private struct BatchMember: Sendable {
    var index: Int
    var repetition: CallRepetition
}
