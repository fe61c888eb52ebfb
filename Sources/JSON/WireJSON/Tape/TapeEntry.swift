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

/// A growing array of entries in its own memory.
@safe struct Tape: ~Copyable {
    /// Every index in an entry is at most `count`.
    private var base: UnsafeMutablePointer<TapeEntry>
    private(set) var count = 0
    private(set) var capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        unsafe base = .allocate(capacity: capacity)
    }

    deinit {
        unsafe base.deallocate()
    }

    var entries: [TapeEntry] { unsafe Array(UnsafeBufferPointer(start: base, count: count)) }

    /// Removes all entries, and makes room for new ones.
    mutating func removeAll(reserving capacity: Int) {
        count = 0
        guard capacity > self.capacity else { return }
        unsafe base.deallocate()
        unsafe base = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    /// The entry at an index below `count`. The parser only writes such indices. Each loop ends at an entry's `next`.
    @inline(__always)
    subscript(index: Int) -> TapeEntry {
        get {
            assert(0..<count ~= index)
            return unsafe base[index]
        }
        nonmutating _modify {
            assert(0..<count ~= index)
            yield unsafe &base[index]
        }
    }

    @inline(__always)
    mutating func append(_ entry: TapeEntry) {
        if count == capacity { grow() }
        unsafe (base + count).initialize(to: entry)
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let grown = UnsafeMutablePointer<TapeEntry>.allocate(capacity: 2 * capacity + 8)
        unsafe grown.moveInitialize(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = unsafe grown
        capacity = 2 * capacity + 8
    }
}
