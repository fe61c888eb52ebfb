// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

extension SessionDriver {
    /// The maximum number of members of an array that are read. A message must not take many times its size in memory:
    /// a member of one byte takes 64 bytes here.
    var maximumMembers: Int {
        let inFlight = state.withLock { $0.machine.inFlight }
        let (sum, overflow) = inFlight.addingReportingOverflow(configuration.maximumInboundBatch)
        return overflow ? .max : max(65_536, sum)
    }

    /// Handles the members of an array. `surplus` is the number of further members that were not read.
    func receive(
        _ members: [MessageEnvelope], surplus: Int, _ message: ArrivedMessage, _ found: IrregularitySet
    ) {
        guard !members.isEmpty else {
            unusable(.emptyBatch, found, message)
            if configuration.answersUnreadableMessages { replyUnreadable(.invalidRequest) }
            return
        }
        var calls: [(CallReading, KeptMessage)] = []
        var withoutID: [MessageEnvelope] = []
        var hasResponses = false
        var broken = 0
        let kept = ArrivedMessage(bytes: message.bytes, owned: message.kept(), isBinary: message.isBinary)
        for envelope in members {
            if !kept.isBinary, let (number, result) = plainResult(envelope),
                case .added(let isFull) = arrived.add(number, result, kept)
            {
                hasResponses = true
                if isFull { settleResponses() }
                continue
            }
            settleArrived()
            switch reader.kind(of: envelope) {
            case .response where envelope.hasUsableID:
                hasResponses = true
                receiveResponse(envelope, kept, found)
            case .response: withoutID.append(envelope)
            case .request, .notification:
                calls.append((reader.call(envelope, in: kept.bytes, found: found), KeptMessage(kept, envelope)))
            case .unknown:
                unusable(.notAMessage, found, kept)
                broken += 1
            }
        }
        settleArrived()
        // These come last, because the other members have answered their calls then, and only one call may be left.
        let place: Machine.ErrorPlace =
            withoutID.count > 1 ? .arrayOfErrors : hasResponses ? .arrayOfResponses : .array
        for envelope in withoutID { receiveResponse(envelope, kept, found, place) }
        probes.messageCame()
        let unreadable = configuration.answersUnreadableMessages ? broken : 0
        if surplus > 0 || calls.count + unreadable > configuration.maximumInboundBatch {
            serveOversized(calls, unreadable: unreadable, surplus: surplus, kept)
        } else {
            serve(calls, unreadable: unreadable)
        }
    }

    /// Handles the requests and notifications of an array with too many members: see `Irregularity.oversizedBatch`.
    ///
    /// - Parameters:
    ///   - unreadable: The number of members that get an error, because they are not messages.
    ///   - surplus: The number of members that were not read. They may include notifications.
    private func serveOversized(
        _ calls: [(CallReading, KeptMessage)], unreadable: Int, surplus: Int, _ message: ArrivedMessage
    ) {
        let reaction = configuration.strictness[.oversizedBatch]
        if reaction >= .report { report([.oversizedBatch], message) }
        let isUsed = reaction < .failCall
        var isAnswered = unreadable > 0 || surplus > 0 && configuration.answersUnreadableMessages
        var losesNotifications = surplus > 0
        for (reading, kept) in calls {
            if reading.isAnswered {
                isAnswered = true
            } else if isUsed {
                serve(reading, kept, batch: nil)
            } else {
                losesNotifications = true
            }
        }
        if losesNotifications { endpoint.notificationsSkipped() }
        if isAnswered { refuseArray() }
        if reaction == .closeConnection { violate(.oversizedBatch) }
    }
}

extension MessageEnvelope {
    /// Returns `false` for a response that cannot belong to a call of this side.
    fileprivate var hasUsableID: Bool {
        if hasDuplicateID { return false }
        switch id {
        case .number, .string: return true
        case .absent, .null, .other: return false
        }
    }
}
