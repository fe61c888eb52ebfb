// swift-jsonrpc · SPDX-License-Identifier: MIT

/// One value, or one member's name, of a parsed text. A tape is a sequence of entries in the order of the text. An
/// array is followed by its elements, an object by its members, each as a name and a value.
@usableFromInline package struct TapeEntry: Sendable {
    @usableFromInline package enum Kind: UInt8, Sendable {
        case null, `true`, `false`, integer, decimal, string, array, object
        /// A member's name. The next entry is its value.
        case name
    }

    @usableFromInline package struct Flags: OptionSet, Sendable {
        @usableFromInline package let rawValue: UInt8

        @usableFromInline package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let isEscaped = Flags(rawValue: 1)
        /// The object was checked for repeated names.
        static let isChecked = Flags(rawValue: 2)
        static let hasDuplicates = Flags(rawValue: 4)
        static let isIndexed = Flags(rawValue: 8)
    }

    /// The offset of the value in the text. For strings and names, it is the offset of their content.
    @usableFromInline package internal(set) var offset: UInt32
    /// The number of bytes. For strings and names, it is the size of their content.
    @usableFromInline package internal(set) var length: UInt32
    /// The entry after the value and its content. While a container is being read, it is the parent container.
    package internal(set) var next: UInt32
    package internal(set) var kind: Kind
    @usableFromInline package internal(set) var flags: Flags = []
    /// The distance from an object to the member that is likely to be requested next. It is 0 for the first member.
    var hint: UInt16 = 0

    /// Whether the string or name has escapes. For other modules this is faster than ``flags``, which costs a call.
    @inlinable @inline(__always)
    package var isEscaped: Bool { flags.rawValue & 1 != 0 }

    @inline(__always)
    var range: Range<Int> { unsafe Range(uncheckedBounds: (Int(offset), Int(offset) &+ Int(length))) }

    @inline(__always)
    var content: ScannedString { ScannedString(range: range, isEscaped: flags.contains(.isEscaped)) }
}
