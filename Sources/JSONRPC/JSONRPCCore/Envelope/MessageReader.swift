// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

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

/// The reading of a request or a notification from the peer.
package struct CallReading: Sendable, Equatable {
    package enum Disposition: Sendable, Equatable {
        case serve
        /// It is not served. `answerTo` is the id of the ``ErrorObject/Code/invalidRequest`` response; `nil` for a
        /// notification, which gets no response.
        case reject(Irregularity, answerTo: RawJSON?)
    }

    /// The id, byte for byte, for the response. `nil` for a notification.
    package var echo: RawJSON?
    /// The id as a value. `nil` for a notification, for `null`, for a number that is not an `Int64`, and for a string
    /// that escapes half of a surrogate pair.
    package var id: RequestID?
    package var method: String
    package var params: Range<Int>?
    package var disposition: Disposition
    /// The irregularities that the session reports as events.
    package var reported: IrregularitySet
    /// Whether the session closes the connection after it has handled this message.
    package var closesConnection: Bool
}

extension MessageReader {
    /// Reads a message of the kind ``Kind/request`` or ``Kind/notification``.
    ///
    /// - Parameter found: The irregularities found outside of the envelope, such as ``Irregularity/binaryMessage``.
    package func call(
        _ envelope: MessageEnvelope, in bytes: UnsafeRawBufferPointer, found: IrregularitySet = []
    ) -> CallReading {
        var found = commonIrregularities(envelope, found)
        let (echo, id) = requestID(envelope, bytes, &found)
        let method = methodName(envelope, bytes, &found)
        let params = requestParams(envelope, bytes, &found)
        let verdict = strictness.verdict(on: found)
        var disposition = CallReading.Disposition.serve
        if let violation = verdict.violation {
            // A message without a method name is not a notification, so it is answered even without an id (§7).
            let isNameless = found.contains(.invalidMethod)
            disposition = .reject(violation, answerTo: echo ?? (isNameless ? .null : nil))
        }
        return CallReading(
            echo: echo, id: id, method: method, params: params, disposition: disposition, reported: verdict.reported,
            closesConnection: verdict.closesConnection)
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private func requestID(
        _ envelope: MessageEnvelope, _ bytes: UnsafeRawBufferPointer, _ found: inout IrregularitySet
    ) -> (echo: RawJSON?, id: RequestID?) {
        if envelope.hasDuplicateID {
            found.insert(.duplicateID)
            return (.null, nil)
        }
        switch envelope.id {
        case .absent: return (nil, nil)
        case .null:
            found.insert(.nullRequestID)
            return (.null, nil)
        case .number(let number):
            var digits: [UInt8] = []
            JSONText.writeInteger(number, into: &digits)
            return (RawJSON(unchecked: digits), .number(number))
        case .string(let range, let isEscaped):
            let quoted = (range.lowerBound - 1)..<(range.upperBound + 1)
            // `nil` for half of a surrogate pair, which fits no `String`. The echo keeps the bytes.
            let text = try? StringContent.string(in: bytes, range: range, isEscaped: isEscaped)
            return (RawJSON(unchecked: Array(bytes[quoted.clamped(to: 0..<bytes.count)])), text.map { .string($0) })
        case .other(let range):
            if let first = bytes[range].first, first == UInt8(ascii: "-") || Self.digits.contains(first) {
                return (RawJSON(unchecked: Array(bytes[range])), nil)
            }
            found.insert(.invalidID)
            return (.null, nil)
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
