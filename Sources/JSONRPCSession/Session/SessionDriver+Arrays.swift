// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

extension SessionDriver {
    /// How many members of an array are read. What a peer sends must not take many times its size: a member may have
    /// one byte, and what is known of it takes 64.
    var maximumMembers: Int {
        let inFlight = state.withLock { $0.machine.inFlight }
        let (sum, overflow) = inFlight.addingReportingOverflow(configuration.maximumInboundBatch)
        return overflow ? .max : max(65_536, sum)
    }

    /// Takes an array's members. There were `surplus` more, which were not read.
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
        var broken = 0
        let kept = ArrivedMessage(bytes: message.bytes, owned: message.kept(), isBinary: message.isBinary)
        for envelope in members {
            if !kept.isBinary, let (number, result) = plainResult(envelope),
                case .added(let isFull) = arrived.add(number, result, kept)
            {
                if isFull { settleArrived() }
                continue
            }
            settleArrived()
            switch reader.kind(of: envelope) {
            case .response where envelope.hasUsableID: receiveResponse(envelope, kept, found, isAlone: false)
            case .response: withoutID.append(envelope)
            case .request, .notification:
                calls.append((reader.call(envelope, in: kept.bytes, found: found), KeptMessage(kept, envelope)))
            case .unknown:
                unusable(.notAMessage, found, kept)
                broken += 1
            }
        }
        settleArrived()
        // Last, when the other members have answered their calls: only one may be left.
        for envelope in withoutID { receiveResponse(envelope, kept, found, isAlone: false) }
        probes.messageCame()
        let unreadable = configuration.answersUnreadableMessages ? broken : 0
        if surplus > 0 || calls.count + unreadable > configuration.maximumInboundBatch {
            serveOversized(calls, unreadable: unreadable, surplus: surplus, kept)
        } else {
            serve(calls, unreadable: unreadable)
        }
    }

    /// Takes the requests and notifications of an array with too many members, as `Irregularity.oversizedBatch` says.
    ///
    /// - Parameters:
    ///   - unreadable: how many members are to be answered because they are no messages.
    ///   - surplus: how many members were not read. There may be notifications among them.
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
        if losesNotifications { parts.notifications.skipped() }
        if isAnswered { refuseArray() }
        if reaction == .closeConnection { violate(.oversizedBatch) }
    }
}

extension MessageEnvelope {
    /// False for a response that cannot name a call of ours.
    fileprivate var hasUsableID: Bool {
        if hasDuplicateID { return false }
        switch id {
        case .number, .string: return true
        case .absent, .null, .other: return false
        }
    }
}
