// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A stack in memory of its own.
struct Stack<Element>: ~Copyable {
    private var elements: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity = 16

    init() {
        elements = .allocate(capacity: capacity)
    }

    deinit {
        elements.deinitialize(count: count)
        elements.deallocate()
    }

    var indices: Range<Int> { 0..<count }

    /// The index must be below `count`.
    @inline(__always)
    subscript(index: Int) -> Element {
        get { elements[index] }
        nonmutating _modify { yield &elements[index] }
    }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if count == capacity { grow() }
        (elements + count).initialize(to: element)
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let grown = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity)
        grown.moveInitialize(from: elements, count: count)
        elements.deallocate()
        elements = grown
        capacity *= 2
    }

    /// Takes off the last element, which there must be.
    @inline(__always)
    mutating func removeLast() {
        count &-= 1
        _ = (elements + count).move()
    }

    /// Takes off what is above a height.
    @inline(__always)
    mutating func removeAll(above height: Int) {
        guard height < count else { return }
        (elements + height).deinitialize(count: count - height)
        count = height
    }
}
