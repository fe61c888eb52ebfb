// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A stack in its own memory.
@safe struct Stack<Element>: ~Copyable {
    private var elements: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private(set) var capacity: Int

    init(capacity: Int = 16) {
        self.capacity = capacity
        unsafe elements = .allocate(capacity: capacity)
    }

    deinit {
        unsafe elements.deinitialize(count: count)
        unsafe elements.deallocate()
    }

    var indices: Range<Int> { 0..<count }

    /// The element at an index below `count`.
    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            return unsafe elements[index]
        }
        nonmutating _modify {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            yield unsafe &elements[index]
        }
    }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if count == capacity { grow() }
        unsafe (elements + count).initialize(to: element)
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let grown = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity + 8)
        unsafe grown.moveInitialize(from: elements, count: count)
        unsafe elements.deallocate()
        unsafe elements = unsafe grown
        capacity = 2 * capacity + 8
    }

    /// Removes the last element. The stack must not be empty.
    @inline(__always)
    mutating func removeLast() {
        precondition(count > 0)
        count &-= 1
        _ = unsafe (elements + count).move()
    }

    @inline(__always)
    mutating func removeAll(above height: Int) {
        guard 0..<count ~= height else { return }
        unsafe (elements + height).deinitialize(count: count - height)
        count = height
    }
}

/// The entries of one text.
typealias Tape = Stack<TapeEntry>

extension Tape {
    var entries: [TapeEntry] { unsafe Array(UnsafeBufferPointer(start: elements, count: count)) }

    /// Removes all entries, and makes room for new ones.
    mutating func removeAll(reserving capacity: Int) {
        count = 0
        guard capacity > self.capacity else { return }
        unsafe elements.deallocate()
        unsafe elements = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    /// The entry at an index below `count`, without a check in a release build. The parser only writes such indices.
    /// Each loop ends at an entry's `next`.
    @inline(__always)
    subscript(index: Int) -> TapeEntry {
        get {
            assert(0..<count ~= index)
            return unsafe elements[index]
        }
        nonmutating _modify {
            assert(0..<count ~= index)
            yield unsafe &elements[index]
        }
    }
}
