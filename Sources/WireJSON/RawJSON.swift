// swift-jsonrpc · SPDX-License-Identifier: MIT

/// One JSON value as its own bytes, kept as they are: validated once, never parsed until asked.
///
/// A `RawJSON` is the cheap way to carry a value through a program which does not look inside it. Its bytes are a
/// slice, so a value taken out of a larger message can share that message's storage.
public struct RawJSON: Sendable, Hashable {
    /// The value's UTF-8 bytes, without white space around them.
    public let bytes: ArraySlice<UInt8>

    /// Wraps bytes which the caller has already found to be one JSON value (RFC 8259 §2).
    package init(unchecked bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// Wraps bytes which the caller has already found to be one JSON value (RFC 8259 §2).
    package init(unchecked bytes: [UInt8]) {
        self.bytes = bytes[...]
    }
}
