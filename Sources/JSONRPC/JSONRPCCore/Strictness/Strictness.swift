// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The reactions of a session to each ``Irregularity`` in the messages of its peer.
///
/// ```swift
/// var strictness = Strictness.standard
/// strictness[.errorCodeAsString] = .ignore
/// strictness[.unknownResponse] = .closeConnection
/// ```
///
/// A bad message fails only the call that it names, unless the reaction is ``Reaction/closeConnection``. An error
/// without a usable id names no call: see ``Irregularity/callAnsweredWithoutID`` and
/// ``Irregularity/batchAnsweredByError``.
public struct Strictness: Sendable, Hashable {
    /// A reaction to an irregularity. Each reaction is stricter than the one before it.
    public enum Reaction: UInt8, Sendable, Hashable, CaseIterable, Comparable {
        /// The session uses the message, with the reading in the documentation of the irregularity.
        case ignore
        /// The session uses the message, and reports it as an event with the bytes of the message.
        case report
        /// The session reports the message and does not use it. The call that it answers fails. A request is answered
        /// with ``ErrorObject/Code/invalidRequest``. A notification is dropped.
        case failCall
        /// As ``failCall``. In addition, the session closes the connection, so every call in flight fails.
        case closeConnection

        public static func < (left: Reaction, right: Reaction) -> Bool { left.rawValue < right.rawValue }
    }

    /// Two bits for each irregularity, so that copying needs no allocation.
    private var bits: UInt128 = 0

    /// Makes a strictness with the same reaction to all irregularities.
    public init(everything reaction: Reaction) {
        for irregularity in Irregularity.allCases { self[irregularity] = reaction }
    }

    /// The reaction to one irregularity.
    ///
    /// A message without a reading (see ``Irregularity/hasReading``) is never used. With `ignore` and `report`, it
    /// fails the call that it names, and `ignore` reports no event.
    public subscript(_ irregularity: Irregularity) -> Reaction {
        get {
            let shift = UInt128(irregularity.rawValue) * 2
            return Reaction(rawValue: UInt8(truncatingIfNeeded: bits >> shift) & 3) ?? .closeConnection
        }
        set {
            let shift = UInt128(irregularity.rawValue) * 2
            let mask = UInt128(3) << shift
            bits = bits & ~mask | UInt128(newValue.rawValue) << shift
        }
    }
}

extension Strictness {
    /// The default strictness. It accepts irregular messages that can be read without a guess.
    ///
    /// Such messages are used and reported, for example a message whose `jsonrpc` member is missing or is "1.0".
    /// Messages that need a guess fail the call: both a result and an error, neither of them, or an id of another type.
    /// The connection stays open.
    ///
    /// Extra members and null params are not reported: many protocols add extra members on purpose, and null params are
    /// common.
    public static let standard: Strictness = {
        var strictness = Strictness(everything: .report)
        strictness[.extraMembers] = .ignore
        strictness[.nullParams] = .ignore
        for guess: Irregularity in [
            .bothResultAndError, .neitherResultNorError, .stringForNumberID, .numberForStringID, .unstructuredParams,
        ] {
            strictness[guess] = .failCall
        }
        for unusable in Irregularity.allCases where !unusable.hasReading { strictness[unusable] = .failCall }
        return strictness
    }()

    /// A strictness that accepts only JSON-RPC 2.0, and closes the connection if the peer sends anything other than
    /// JSON-RPC.
    ///
    /// Extra members are ignored and late responses are reported, because the specification allows both. A response
    /// with the id `null` is reported, and may answer the only call or batch in flight: the specification requires that
    /// id if a request could not be read. A text message that is not UTF-8 closes the connection with 1007, other
    /// messages with 1002 (RFC 6455 §7.4.1).
    public static let strict: Strictness = {
        var strictness = Strictness(everything: .failCall)
        strictness[.extraMembers] = .ignore
        strictness[.lateResponse] = .report
        strictness[.nullResponseID] = .report
        strictness[.nullRequestID] = .report
        strictness[.batchAnsweredByError] = .report
        strictness[.callAnsweredWithoutID] = .report
        strictness[.oversizedBatch] = .report
        for broken: Irregularity in [
            .invalidUTF8, .malformedJSON, .emptyMessage, .binaryMessage, .notAMessage, .emptyBatch, .unknownResponse,
        ] {
            strictness[broken] = .closeConnection
        }
        return strictness
    }()

    /// The reaction to a message as a whole.
    package struct Verdict: Sendable, Equatable {
        package var reported = IrregularitySet()
        /// The first irregularity that keeps the message from being used; `nil` if the message is used.
        package var violation: Irregularity?
        package var closesConnection = false
    }

    package func verdict(on found: IrregularitySet) -> Verdict {
        var verdict = Verdict()
        if found.isEmpty { return verdict }
        for irregularity in found.elements {
            let reaction = self[irregularity]
            if reaction >= .report { verdict.reported.insert(irregularity) }
            if (reaction >= .failCall || !irregularity.hasReading) && verdict.violation == nil {
                verdict.violation = irregularity
            }
            if reaction == .closeConnection { verdict.closesConnection = true }
        }
        return verdict
    }
}
