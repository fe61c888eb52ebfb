// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

package enum MessageScan: Sendable, Equatable {
    /// One value. It is a message if it is an object.
    case single(MessageEnvelope)
    /// An array with this number of members. It may be 0, and may be larger than the number of members that were read.
    case batch(count: Int)
}

/// The reason why a text is not JSON, and the ids that were read before the fault.
package struct MessageScanFailure: Error, Sendable, Equatable {
    package var error: JSONSyntaxError
    /// True if any bytes of the text are not UTF-8. RFC 6455 §8.1 requires failing the connection then.
    package var isInvalidUTF8: Bool
    /// The complete top-level ids that were read before the error, of the object or of the array's members.
    ///
    /// A number at the very end of the text is not complete. Objects with two `id` members are omitted. So are
    /// objects with a `method`, because the peer chose their ids.
    package var ids: [MessageEnvelope.ID]
}

/// Finds the members of JSON-RPC messages in one pass, which also validates every byte of the text.
package struct EnvelopeScanner: Sendable {
    package var limits: JSONLimits

    package init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
    }

    /// Scans one text.
    ///
    /// Nothing is allocated for an object, unless it is nested deeper than 64 levels. Nothing is allocated for an array
    /// either, if `members` has room.
    ///
    /// - Parameters:
    ///   - members: Receives the array's members; its old content is removed. It is empty after a single value.
    ///   - maximumMembers: Returns the number of members to read. Later members are validated and counted. It is
    ///     called only for an array.
    package func scan(
        _ text: UnsafeRawBufferPointer, members: inout [MessageEnvelope], maximumMembers: () -> Int = { .max }
    ) throws(MessageScanFailure) -> MessageScan {
        if !members.isEmpty { members.removeAll(keepingCapacity: true) }
        var envelope = MessageEnvelope()
        var isBatch = false
        var count = 0
        do throws(ScanFault) {
            guard var scanner = JSONScanner(text, limits: limits) else { throw ScanFault(.emptyText, at: 0) }
            // Envelopes have 32 bits for an offset.
            guard scanner.end < Int(Int32.max) * 2 else { throw ScanFault(.textTooLarge, at: 0) }
            try scanner.beginText()
            isBatch = scanner.bytes[scanner.position] == UInt8(ascii: "[")
            if isBatch {
                count = try scanner.scanBatch(current: &envelope, members: &members, maximum: maximumMembers())
            } else {
                try scanner.scanMessage(into: &envelope, depth: 0)
            }
            try scanner.endText()
        } catch {
            members.append(envelope)
            defer { members.removeAll(keepingCapacity: true) }
            throw failure(error, in: text, read: members)
        }
        return isBatch ? .batch(count: count) : .single(envelope)
    }

    @inline(never)
    private func failure(
        _ fault: ScanFault, in text: UnsafeRawBufferPointer, read: [MessageEnvelope]
    ) -> MessageScanFailure {
        MessageScanFailure(
            error: JSONSyntaxError(fault, in: text),
            isInvalidUTF8: fault.reason != .textTooLarge && !Self.isUTF8(text),
            ids: read.compactMap { $0.id == .absent || $0.hasDuplicateID || $0.method != .absent ? nil : $0.id }
        )
    }

    private static func isUTF8(_ text: UnsafeRawBufferPointer) -> Bool {
        (try? UTF8Span(validating: text.assumingMemoryBound(to: UInt8.self).span)) != nil
    }
}
