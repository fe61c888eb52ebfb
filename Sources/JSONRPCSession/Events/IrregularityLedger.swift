// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// Counts what is irregular in one session, and knows what was reported before.
struct IrregularityLedger: Sendable {
    private(set) var counts: [Irregularity: Int] = [:]
    private var logged = IrregularitySet()
    private var published = IrregularitySet()

    /// What is to be done about an irregular message.
    struct Entry: Sendable, Equatable {
        var isLogged = true
        var isPublished = true
    }

    /// Notes a message. A message in which nothing is irregular but habits of the peer that are known already is neither
    /// logged nor published.
    mutating func note(_ found: IrregularitySet, _ strictness: Strictness, hasReaders: Bool) -> Entry {
        var entry = Entry(isLogged: false, isPublished: false)
        for irregularity in found.elements {
            counts[irregularity, default: 0] += 1
            let isHabit = irregularity.isHabit && strictness[irregularity] == .report
            if !isHabit || !logged.contains(irregularity) { entry.isLogged = true }
            if !isHabit || !published.contains(irregularity) { entry.isPublished = hasReaders }
            if isHabit {
                logged.insert(irregularity)
                if hasReaders { published.insert(irregularity) }
            }
        }
        return entry
    }

    /// Counts what is not reported.
    mutating func count(_ irregularity: Irregularity) { counts[irregularity, default: 0] += 1 }
}

extension Irregularity {
    /// True for a way of writing messages, which a peer keeps to in every message of a kind. To report each would drown
    /// the other events.
    fileprivate var isHabit: Bool {
        switch self {
        case .binaryMessage, .missingVersion, .wrongVersion, .extraMembers, .nullResultOrError, .methodInResponse,
            .stringForNumberID, .numberForStringID, .errorCodeAsString, .fractionalErrorCode, .missingErrorMessage,
            .nullRequestID, .nullParams, .unstructuredParams:
            true
        case .invalidUTF8, .malformedJSON, .emptyMessage, .notAMessage, .emptyBatch, .oversizedBatch,
            .duplicateMembers, .bothResultAndError, .neitherResultNorError, .missingResponseID, .nullResponseID,
            .duplicateID, .invalidID, .unknownResponse, .lateResponse, .duplicateResponse, .batchAnsweredByError,
            .callAnsweredWithoutID, .malformedError, .missingErrorCode, .invalidMethod, .duplicateRequestID:
            false
        }
    }
}
