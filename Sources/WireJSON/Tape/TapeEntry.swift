// swift-jsonrpc · SPDX-License-Identifier: MIT

/// One value, or one member's name, of a parsed text. A tape is a row of these in the order of the text: an array is
/// followed by its elements, an object by its members, each a name and a value.
struct TapeEntry {
    enum Kind: UInt8 {
        case null, `true`, `false`, integer, decimal, string, array, object
        /// A member's name; its value comes next.
        case name
    }

    struct Flags: OptionSet {
        let rawValue: UInt8
        /// The string or name holds escapes.
        static let isEscaped = Flags(rawValue: 1)
        /// The object was searched for names that come twice.
        static let isChecked = Flags(rawValue: 2)
        /// The object has names that come twice.
        static let hasDuplicates = Flags(rawValue: 4)
        /// The object has an index of its names.
        static let isIndexed = Flags(rawValue: 8)
    }

    /// Where the value begins in the text; for strings and names their content.
    var offset: UInt32
    /// How many bytes it takes; for strings and names their content.
    var length: UInt32
    /// The entry after the value and all it holds. While a container is being read: the container around it.
    var next: UInt32
    var kind: Kind
    var flags: Flags = []
    /// In an object: how far from it the member lies that is likely to be asked for next; 0 for the first.
    var hint: UInt16 = 0

    @inline(__always)
    var range: Range<Int> { unsafe Range(uncheckedBounds: (Int(offset), Int(offset) &+ Int(length))) }

    @inline(__always)
    var content: ScannedString { ScannedString(range: range, isEscaped: flags.contains(.isEscaped)) }
}

/// A growing row of entries in memory of its own.
@safe struct Tape: ~Copyable {
    /// Every index in an entry is at most `count`.
    private var entries: UnsafeMutablePointer<TapeEntry>
    private(set) var count = 0
    private(set) var capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        unsafe entries = .allocate(capacity: capacity)
    }

    deinit {
        unsafe entries.deallocate()
    }

    /// Forgets all entries, and makes room for new ones.
    mutating func removeAll(reserving capacity: Int) {
        count = 0
        guard capacity > self.capacity else { return }
        unsafe entries.deallocate()
        unsafe entries = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    /// The entry at an index below `count`. The parser writes only such indices, and each loop ends at an entry's `next`.
    @inline(__always)
    subscript(index: Int) -> TapeEntry {
        get {
            assert(0..<count ~= index)
            return unsafe entries[index]
        }
        nonmutating _modify {
            assert(0..<count ~= index)
            yield unsafe &entries[index]
        }
    }

    @inline(__always)
    mutating func append(_ entry: TapeEntry) {
        if count == capacity { grow() }
        unsafe (entries + count).initialize(to: entry)
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let grown = UnsafeMutablePointer<TapeEntry>.allocate(capacity: 2 * capacity + 8)
        unsafe grown.moveInitialize(from: entries, count: count)
        unsafe entries.deallocate()
        unsafe entries = unsafe grown
        capacity = 2 * capacity + 8
    }
}
