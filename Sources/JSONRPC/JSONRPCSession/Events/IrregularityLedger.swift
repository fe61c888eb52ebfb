// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// Counts the irregularities of one session, and remembers the reported ones.
struct IrregularityLedger: Sendable {
    private(set) var counts: [Irregularity: Int] = [:]
    private var logged = IrregularitySet()
    private var published = IrregularitySet()

    /// Counts the irregularities of a message. If all of them are known habits of the peer, the message is neither
    /// logged nor published.
    mutating func note(
        _ found: IrregularitySet, _ strictness: Strictness, hasReaders: Bool
    ) -> (isLogged: Bool, isPublished: Bool) {
        var entry = (isLogged: false, isPublished: false)
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

    mutating func count(_ irregularity: Irregularity) { counts[irregularity, default: 0] += 1 }
}

extension Irregularity {
    /// Whether a peer repeats the irregularity in every message of a kind. Reports of each message would hide the other
    /// events.
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
