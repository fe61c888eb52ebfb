// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// Checks scanned messages against a session's ``Strictness`` and ``VersionMember``.
///
/// It decodes error objects, method names and ids. The values of `result` and `params` stay ranges.
package struct MessageReader: Sendable {
    package let strictness: Strictness
    package let version: VersionMember.Inbound

    package init(strictness: Strictness, version: VersionMember.Inbound) {
        self.strictness = strictness
        self.version = version
    }

    /// The kind of a message, determined by its members.
    package enum Kind: Sendable, Equatable {
        /// It has `result` or `error`, or an `id` and no `method`.
        case response
        /// It has `method` and `id`.
        case request
        /// It has `method` and no `id`.
        case notification
        /// None of these: ``Irregularity/notAMessage``.
        case unknown
    }

    package func kind(of envelope: MessageEnvelope) -> Kind {
        guard envelope.isObject else { return .unknown }
        if envelope.result != nil || envelope.error != nil { return .response }
        if envelope.method == .absent { return envelope.id == .absent ? .unknown : .response }
        return envelope.id == .absent ? .notification : .request
    }

    /// Returns `found` and the irregularities of the members that all messages have.
    func commonIrregularities(_ envelope: MessageEnvelope, _ found: IrregularitySet) -> IrregularitySet {
        var found = found
        switch envelope.versionForm {
        case .two: break
        case .absent: if version == .required { found.insert(.missingVersion) }
        case .null, .number, .string, .escapedString, .other: found.insert(.wrongVersion)
        }
        if envelope.hasDuplicateMembers { found.insert(.duplicateMembers) }
        if envelope.hasExtraMembers { found.insert(.extraMembers) }
        return found
    }

    static func isNull(_ range: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Bool {
        range.count == 4 && range.lowerBound < bytes.count && bytes[range.lowerBound] == UInt8(ascii: "n")
    }
}

/// A parsed request or notification from the peer, before its bytes are copied.
@usableFromInline package struct CallReading: Sendable, Equatable {
    @usableFromInline package let method: String
    @usableFromInline package let params: Range<Int>?
    /// The id as a value. `nil` for a notification, for `null`, for a number that is not an `Int64`, and for a string
    /// that escapes half of a surrogate pair.
    @usableFromInline package let id: RequestID?
    /// The id for the answer; `nil` if the call gets no answer.
    @usableFromInline package let echo: EchoedID?
    /// The whole message, or the member of an array.
    @usableFromInline package let range: Range<Int>
    @usableFromInline package let hasExtraMembers: Bool
    /// If it is not `nil`, the call is not served. A call with an ``echo`` is then answered with
    /// ``ErrorObject/Code/invalidRequest``.
    @usableFromInline package let violation: Irregularity?
    /// The irregularities that the session reports as events.
    @usableFromInline package let reported: IrregularitySet
    /// Whether the session closes the connection after it has handled this message.
    @usableFromInline package let closesConnection: Bool

    // It is inlined into the session, which makes a reading of each regular call.
    @inlinable package init(
        method: String, params: Range<Int>?, id: RequestID?, echo: EchoedID?, range: Range<Int>, hasExtraMembers: Bool,
        violation: Irregularity?, reported: IrregularitySet, closesConnection: Bool
    ) {
        self.method = method
        self.params = params
        self.id = id
        self.echo = echo
        self.range = range
        self.hasExtraMembers = hasExtraMembers
        self.violation = violation
        self.reported = reported
        self.closesConnection = closesConnection
    }
}

/// The id of a request, for its answer.
@usableFromInline package enum EchoedID: Sendable, Equatable {
    case number(Int64)
    /// The bytes of the id, which the answer repeats unchanged.
    case json(RawJSON)

    /// The bytes that count against a limit.
    package var heldBytes: Int {
        switch self {
        case .number: 0
        case .json(let json): json.bytes.count
        }
    }
}

extension MessageReader {
    /// Reads a message of the kind ``Kind/request`` or ``Kind/notification``.
    ///
    /// - Parameter found: The irregularities found outside of the envelope, such as ``Irregularity/binaryMessage``.
    package func call(
        _ envelope: MessageEnvelope, in bytes: UnsafeRawBufferPointer, found: IrregularitySet = []
    ) -> CallReading {
        var found = commonIrregularities(envelope, found)
        let (written, id) = requestID(envelope, bytes, &found)
        let method = methodName(envelope, bytes, &found)
        let params = requestParams(envelope, bytes, &found)
        // A message without a method name is not a notification, so it is answered even without an id (§7).
        let echo = written ?? (found.contains(.invalidMethod) ? .json(.null) : nil)
        let verdict = strictness.verdict(on: found)
        return CallReading(
            method: method, params: params, id: id, echo: echo, range: envelope.range,
            hasExtraMembers: envelope.hasExtraMembers, violation: verdict.violation, reported: verdict.reported,
            closesConnection: verdict.closesConnection)
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private func requestID(
        _ envelope: MessageEnvelope, _ bytes: UnsafeRawBufferPointer, _ found: inout IrregularitySet
    ) -> (echo: EchoedID?, id: RequestID?) {
        if envelope.hasDuplicateID {
            found.insert(.duplicateID)
            return (.json(.null), nil)
        }
        switch envelope.id {
        case .absent: return (nil, nil)
        case .null:
            found.insert(.nullRequestID)
            return (.json(.null), nil)
        case .number(let number): return (.number(number), .number(number))
        case .string(let range, let isEscaped):
            let quoted = (range.lowerBound - 1)..<(range.upperBound + 1)
            // `nil` for half of a surrogate pair, which fits no `String`. The echo keeps the bytes.
            let text = try? StringContent.string(in: bytes, range: range, isEscaped: isEscaped)
            let echo = RawJSON(unchecked: Array(bytes[quoted.clamped(to: 0..<bytes.count)]))
            return (.json(echo), text.map { .string($0) })
        case .other(let range):
            if let first = bytes[range].first, first == UInt8(ascii: "-") || Self.digits.contains(first) {
                return (.json(RawJSON(unchecked: Array(bytes[range]))), nil)
            }
            found.insert(.invalidID)
            return (.json(.null), nil)
        }
    }

    private func methodName(
        _ envelope: MessageEnvelope, _ bytes: UnsafeRawBufferPointer, _ found: inout IrregularitySet
    ) -> String {
        switch envelope.method {
        case .string(let range, let isEscaped):
            if let name = try? StringContent.string(in: bytes, range: range, isEscaped: isEscaped) { return name }
        case .absent, .other: break
        }
        found.insert(.invalidMethod)
        return ""
    }

    private func requestParams(
        _ envelope: MessageEnvelope, _ bytes: UnsafeRawBufferPointer, _ found: inout IrregularitySet
    ) -> Range<Int>? {
        guard let params = envelope.params else { return nil }
        switch bytes[params].first {
        case UInt8(ascii: "["), UInt8(ascii: "{"): return params
        case UInt8(ascii: "n"):
            found.insert(.nullParams)
            return nil
        default:
            found.insert(.unstructuredParams)
            return params
        }
    }
}
