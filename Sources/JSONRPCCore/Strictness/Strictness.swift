// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The reaction of a session to each ``Irregularity`` in the peer's messages. The default is ``standard``.
///
/// ```swift
/// var strictness = Strictness.standard
/// strictness[.errorCodeAsString] = .ignore       // this server is known for it
/// strictness[.unknownResponse] = .closeConnection
/// ```
///
/// Unless the choice is ``Reaction/closeConnection``, a bad message only fails the call that it names. An error without
/// a usable id names none: see ``Irregularity/callAnsweredWithoutID`` and ``Irregularity/batchAnsweredByError``.
public struct Strictness: Sendable, Hashable {
    /// The reaction to an irregularity. Each includes those before it.
    public enum Reaction: UInt8, Sendable, Hashable, CaseIterable, Comparable {
        /// Uses the message, in the way that the irregularity documents.
        case ignore
        /// Uses the message, and reports it as an event with its bytes.
        case report
        /// Reports the message and does not use it: the call that it answers fails, a request is answered with
        /// ``ErrorCode/invalidRequest``, a notification is dropped.
        case failCall
        /// Does not use the message, and closes the connection: every call in flight fails.
        case closeConnection

        public static func < (left: Reaction, right: Reaction) -> Bool { left.rawValue < right.rawValue }
    }

    /// Two bits for each irregularity: a value to copy, not an array to allocate.
    private var bits: (UInt64, UInt64) = (0, 0)

    /// The same reaction to all.
    public init(everything reaction: Reaction) {
        for irregularity in Irregularity.allCases { self[irregularity] = reaction }
    }

    /// The reaction to one irregularity. A message without a reading is not used even with `ignore` or `report`; with
    /// `ignore`, the call that it names fails without an event.
    public subscript(_ irregularity: Irregularity) -> Reaction {
        get {
            let word = irregularity.rawValue < 32 ? bits.0 : bits.1
            let shift = UInt64(irregularity.rawValue & 31) * 2
            return Reaction(rawValue: UInt8(truncatingIfNeeded: word >> shift) & 3) ?? .closeConnection
        }
        set {
            let shift = UInt64(irregularity.rawValue & 31) * 2
            let mask = UInt64(3) << shift
            let value = UInt64(newValue.rawValue) << shift
            if irregularity.rawValue < 32 {
                bits.0 = bits.0 & ~mask | value
            } else {
                bits.1 = bits.1 & ~mask | value
            }
        }
    }

    public static func == (left: Strictness, right: Strictness) -> Bool { left.bits == right.bits }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bits.0)
        hasher.combine(bits.1)
    }
}

extension Strictness {
    /// Uses and reports irregular messages that can be read without a guess, such as one whose `jsonrpc` member is
    /// missing or says "1.0". Messages that would need a guess (both a result and an error, neither of them, an id of
    /// another type) fail the call. The connection stays open.
    ///
    /// Extra members, which many protocols add on purpose, and null params, which are common, are not even reported.
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

    /// Refuses everything that departs from JSON-RPC 2.0, and closes the connection if the peer sends a message that is
    /// not JSON-RPC.
    ///
    /// Extra members are ignored and late responses reported: neither is against the specification. A response with
    /// the id `null` is reported, and may answer the only call or batch in flight: the specification requires that id
    /// where a request could not be read. A text message that is not UTF-8 closes the connection with 1007, other
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
}
