// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Judges scanned messages by a session's ``Strictness`` and ``VersionMember``.
///
/// It reads only what the envelope points at, and only in calls on error objects, names and ids: the values of
/// `result` and `params` stay ranges.
package struct MessageReader: Sendable {
    package let strictness: Strictness
    package let version: VersionMember.Inbound

    package init(strictness: Strictness, version: VersionMember.Inbound) {
        self.strictness = strictness
        self.version = version
    }

    /// What a message is, by its members.
    package enum Kind: Sendable, Equatable {
        /// It has `result` or `error`, or an `id` and no `method`.
        case response
        /// It has `method` and `id`.
        case request
        /// It has `method` and no `id`.
        case notification
        /// Neither: ``Irregularity/notAMessage``.
        case unknown
    }

    package func kind(of envelope: MessageEnvelope) -> Kind {
        guard envelope.isObject else { return .unknown }
        if envelope.result != nil || envelope.error != nil { return .response }
        if envelope.method == .absent { return envelope.id == .absent ? .unknown : .response }
        return envelope.id == .absent ? .notification : .request
    }

    /// What is irregular about the members that all messages have.
    func commonIrregularities(_ envelope: MessageEnvelope, _ found: IrregularitySet) -> IrregularitySet {
        var found = found
        switch envelope.version {
        case .two: break
        case .absent: if version == .required { found.insert(.missingVersion) }
        case .other: found.insert(.wrongVersion)
        }
        if envelope.hasDuplicateMembers { found.insert(.duplicateMembers) }
        if envelope.hasExtraMembers { found.insert(.extraMembers) }
        return found
    }

    static func isNull(_ range: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Bool {
        range.count == 4 && range.lowerBound < bytes.count && bytes[range.lowerBound] == UInt8(ascii: "n")
    }
}
