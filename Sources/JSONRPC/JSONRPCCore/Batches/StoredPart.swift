// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The rule for a part of a message that is stored.
///
/// A slice keeps the whole message alive, and limits in bytes count the slice. So a slice is stored only if it is
/// nearly all of the message; otherwise its bytes are copied.
@usableFromInline package enum StoredPart {
    /// The bytes beside a result that are not worth a copy. Results of a regular array share its storage, and no limit
    /// in bytes counts them.
    @inlinable package static var resultSlack: Int { 64 << 10 }

    /// Whether a part may share the storage of its message. The default of `slack`, the bytes beside the part that are
    /// not worth a copy, is more than a regular message has beside its params.
    @inlinable @inline(__always)
    package static func sharesWell(_ part: Int, of whole: Int, slack: Int = 256) -> Bool {
        whole &- part <= slack &+ part / 8
    }
}

extension ArraySlice<UInt8> {
    /// Returns the slice for storing. It is copied if the whole has more bytes than ``StoredPart`` allows.
    @inlinable package func detached(from whole: Int, slack: Int = 256) -> ArraySlice<UInt8> {
        StoredPart.sharesWell(count, of: whole, slack: slack) ? self : Array(self)[...]
    }
}
