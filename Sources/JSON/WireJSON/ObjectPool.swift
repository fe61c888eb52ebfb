// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A pool of up to four unused objects. No thread waits for another: a place that is empty or in use is skipped.
/// Objects are moved in and out without counting references.
@safe final class ObjectPool<Object: AnyObject & Sendable>: @unchecked Sendable {
    // Only the thread that has made a place `busy` accesses the memory of the place.
    private let objects: UnsafeMutablePointer<Object>
    private let first = Atomic(PlaceState.empty)
    private let second = Atomic(PlaceState.empty)
    private let third = Atomic(PlaceState.empty)
    private let fourth = Atomic(PlaceState.empty)
    /// Objects that are not reused, but must live until nothing refers to a part of them.
    private let retired = Mutex<[Object]>([])

    init() { unsafe objects = .allocate(capacity: 4) }

    deinit {
        while take() != nil {}
        unsafe objects.deallocate()
    }

    /// Takes an object from the pool, or returns `nil` if there is none.
    @inline(__always)
    func take() -> Object? { take(0, first) ?? takeLater() }

    @inline(never)
    private func takeLater() -> Object? { take(1, second) ?? take(2, third) ?? take(3, fourth) }

    @inline(__always)
    private func take(_ index: Int, _ place: borrowing Atomic<PlaceState>) -> Object? {
        guard Self.begin(place, .full) else { return nil }
        let object = unsafe (objects + index).move()
        place.store(.empty, ordering: .releasing)
        return object
    }

    /// Returns an object to the pool. If the pool is full, the object is released.
    @inline(__always)
    func put(_ object: consuming Object) {
        if Self.begin(first, .empty) {
            fill(0, first, object)
        } else {
            putLater(object)
        }
    }

    @inline(never)
    private func putLater(_ object: consuming Object) {
        if Self.begin(second, .empty) {
            fill(1, second, object)
        } else if Self.begin(third, .empty) {
            fill(2, third, object)
        } else if Self.begin(fourth, .empty) {
            fill(3, fourth, object)
        }
    }

    @inline(__always)
    private func fill(_ index: Int, _ place: borrowing Atomic<PlaceState>, _ object: consuming Object) {
        unsafe (objects + index).initialize(to: object)
        place.store(.full, ordering: .releasing)
    }

    /// Keeps an object that is not reused, until ``release(where:)`` releases it.
    func retire(_ object: Object) { retired.withLock { $0.append(object) } }

    /// Releases the retired objects that satisfy a condition.
    func release(where isIdle: (Object) -> Bool) {
        // The objects are deallocated outside of the lock, because values of the program can be deallocated with them.
        _ = retired.withLock { objects in
            let idle = objects.partition(by: isIdle)
            defer { objects.removeSubrange(idle...) }
            return Array(objects[idle...])
        }
    }

    /// Makes a place busy if it is in the given state, and otherwise returns false.
    @inline(__always)
    private static func begin(_ place: borrowing Atomic<PlaceState>, _ state: PlaceState) -> Bool {
        guard place.load(ordering: .relaxed) == state else { return false }
        return place.compareExchange(expected: state, desired: .busy, ordering: .acquiring).exchanged
    }
}

private enum PlaceState: UInt8, AtomicRepresentable {
    case empty, busy, full
}
