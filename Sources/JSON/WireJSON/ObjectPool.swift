// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A few objects that are not in use, for whoever needs one next. Nobody waits for another: a place that is taken, or
/// empty, is passed by. Objects are moved in and out, without counting references.
@safe final class ObjectPool<Object: AnyObject & Sendable>: @unchecked Sendable {
    // Only the thread that has made a place `busy` touches the memory of the place.
    private let objects: UnsafeMutablePointer<Object>
    private let first = Atomic(PlaceState.empty)
    private let second = Atomic(PlaceState.empty)
    private let third = Atomic(PlaceState.empty)
    private let fourth = Atomic(PlaceState.empty)
    /// Objects that are not used again, but must live until nobody refers to a part of them.
    private let retired = Mutex<[Object]>([])

    init() { unsafe objects = .allocate(capacity: 4) }

    deinit {
        while take() != nil {}
        unsafe objects.deallocate()
    }

    /// An object, which is the caller's alone from now on as far as this pool goes; nil when there is none.
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

    /// Takes an object back; when there is no room, lets it go.
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

    /// Keeps an object that is not used again. ``release(where:)`` lets it go.
    func retire(_ object: Object) { retired.withLock { $0.append(object) } }

    /// Lets go of the retired objects that satisfy a condition.
    func release(where isIdle: (Object) -> Bool) {
        // They end after the lock, because values of the program can end with them.
        _ = retired.withLock { objects in
            let idle = objects.partition(by: isIdle)
            defer { objects.removeSubrange(idle...) }
            return Array(objects[idle...])
        }
    }

    /// Makes a place busy that is in a state. It returns false if the place is not in that state.
    @inline(__always)
    private static func begin(_ place: borrowing Atomic<PlaceState>, _ state: PlaceState) -> Bool {
        guard place.load(ordering: .relaxed) == state else { return false }
        return place.compareExchange(expected: state, desired: .busy, ordering: .acquiring).exchanged
    }
}

private enum PlaceState: UInt8, AtomicRepresentable {
    case empty, busy, full
}
