// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A few objects that are not in use, for whoever needs one next. Nobody waits for another: a place that is taken, or
/// empty, is passed by.
final class SpareShelf<Object: AnyObject & Sendable>: Sendable {
    // Each place is 0, or the address of an object, with one reference to it that belongs to the place.
    private let first = Atomic<UInt>(0)
    private let second = Atomic<UInt>(0)
    private let third = Atomic<UInt>(0)
    private let fourth = Atomic<UInt>(0)

    /// An object, which is the caller's alone from now on as far as this shelf goes; nil when there is none.
    @inline(__always)
    func take() -> Object? {
        Self.take(first) ?? takeLater()
    }

    @inline(never)
    private func takeLater() -> Object? {
        Self.take(second) ?? Self.take(third) ?? Self.take(fourth)
    }

    /// Takes an object back; when there is no room, lets it go.
    @inline(__always)
    func put(_ object: consuming Object) {
        // A place gets this reference, if there is one.
        let reference = unsafe Unmanaged.passRetained(object)
        if unsafe !Self.put(reference, first) { unsafe putLater(reference) }
    }

    @inline(never)
    // The reference is counted: a place takes it over, or it is released.
    private func putLater(_ reference: Unmanaged<Object>) {
        if unsafe Self.put(reference, second) || Self.put(reference, third) || Self.put(reference, fourth) { return }
        unsafe reference.release()
    }

    @inline(__always)
    private static func take(_ place: borrowing Atomic<UInt>) -> Object? {
        guard place.load(ordering: .relaxed) != 0 else { return nil }
        // Who exchanges the address for 0 has the place's reference.
        guard let address = unsafe UnsafeRawPointer(bitPattern: place.exchange(0, ordering: .acquiring)) else {
            return nil
        }
        return unsafe Unmanaged<Object>.fromOpaque(address).takeRetainedValue()
    }

    @inline(__always)
    // True when the place has taken the counted reference over.
    private static func put(_ reference: Unmanaged<Object>, _ place: borrowing Atomic<UInt>) -> Bool {
        guard place.load(ordering: .relaxed) == 0 else { return false }
        let address = unsafe UInt(bitPattern: reference.toOpaque())
        return place.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged
    }
}
