// swift-jsonrpc · SPDX-License-Identifier: MIT

/// One value, or one member's name, of a parsed text. A tape is a row of these in the order of the text: an array is
/// followed by its elements, an object by its members, each a name and a value.
@usableFromInline package struct TapeEntry: Sendable {
    @usableFromInline package enum Kind: UInt8, Sendable {
        case null, `true`, `false`, integer, decimal, string, array, object
        /// A member's name; its value comes next.
        case name
    }

    @usableFromInline package struct Flags: OptionSet, Sendable {
        @usableFromInline package let rawValue: UInt8

        @usableFromInline package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let isEscaped = Flags(rawValue: 1)
        /// The object was searched for names that come twice.
        static let isChecked = Flags(rawValue: 2)
        static let hasDuplicates = Flags(rawValue: 4)
        static let isIndexed = Flags(rawValue: 8)
    }

    /// Where the value begins in the text; for strings and names their content.
    @usableFromInline package internal(set) var offset: UInt32
    /// How many bytes it takes; for strings and names their content.
    @usableFromInline package internal(set) var length: UInt32
    /// The entry after the value and all it holds. While a container is being read: the container around it.
    package internal(set) var next: UInt32
    package internal(set) var kind: Kind
    @usableFromInline package internal(set) var flags: Flags = []
    /// In an object: how far from it the member lies that is likely to be asked for next; 0 for the first.
    var hint: UInt16 = 0

    /// Whether the string or name holds escapes. Other modules ask by this, because ``flags`` costs them a call.
    @inlinable @inline(__always)
    package var isEscaped: Bool { flags.rawValue & 1 != 0 }

    @inline(__always)
    var range: Range<Int> { unsafe Range(uncheckedBounds: (Int(offset), Int(offset) &+ Int(length))) }

    @inline(__always)
    var content: ScannedString { ScannedString(range: range, isEscaped: flags.contains(.isEscaped)) }
}

/// A growing row of entries in memory of its own.
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

    /// Forgets all entries, and makes room for new ones.
    mutating func removeAll(reserving capacity: Int) {
        count = 0
        guard capacity > self.capacity else { return }
        unsafe base.deallocate()
        unsafe base = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    /// The entry at an index below `count`. The parser writes only such indices, and each loop ends at an entry's `next`.
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
