// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The boxes which the standard library puts keyed containers into. To make one takes longer than to read or write a
/// small object, mostly for looking up generic types: so they are kept, and handed out again for the same type of keys
/// once nobody else refers to them. What a container works on is in a place beside its box, where it can be changed.
struct ContainerBoxes<Place>: ~Copyable {
    private struct Slot {
        var key: ObjectIdentifier?
        /// The `KeptContainer`, which holds the box.
        var container: AnyObject?
        var box: Unmanaged<AnyObject>?
        var place: UnsafeMutablePointer<Place>?
    }

    private static var count: Int { 32 }
    /// How many slots from the one of its hash on may have a key's box.
    private static var reach: Int { 4 }

    private let slots: UnsafeMutablePointer<Slot>
    /// Bits of the slots whose boxes were handed out in this run.
    private var used: UInt32 = 0
    private var isRetired = false

    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(), count: Self.count)
    }

    deinit {
        for slot in 0..<Self.count { slots[slot].place?.deallocate() }
        slots.deinitialize(count: Self.count)
        slots.deallocate()
    }

    /// Whether nobody else refers to the boxes which were handed out.
    mutating func areIdle() -> Bool {
        while used != 0 {
            let slot = used.trailingZeroBitCount
            guard isIdle(slots + slot) else { return false }
            used &= used &- 1
        }
        return true
    }

    /// Ends the reuse: a box that somebody has kept may be used by any thread, which must not change the slots.
    mutating func retire() {
        isRetired = true
    }

    /// Whether nobody but the slot refers to its box.
    @inline(__always)
    private func isIdle(_ slot: UnsafeMutablePointer<Slot>) -> Bool {
        // The box lives as long as its container; an unmanaged reference looks like one that is counted.
        withUnsafeMutablePointer(to: &slot.pointee.box) { box in
            box.withMemoryRebound(to: AnyObject?.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }

    /// A container for a type of keys that nobody uses, once its place is set.
    @inline(__always)
    mutating func container<Container>(
        for key: ObjectIdentifier, at place: @autoclosure () -> Place
    ) -> Unmanaged<KeptContainer<Container>>? {
        #if os(Linux)
            let first = Self.firstSlot(key)
            let slot = slots + first
            if slot.pointee.key == key, !isRetired, isIdle(slot) {
                used |= 1 &<< UInt32(truncatingIfNeeded: first)
                slot.pointee.place?.pointee = place()
                // A slot's key is that of its container's type.
                return unsafeBitCast(slot.pointee.container, to: Unmanaged<KeptContainer<Container>>?.self)
            }
            return unsafeBitCast(
                laterContainer(for: key, from: first, at: place()), to: Unmanaged<KeptContainer<Container>>?.self)
        #else
            return nil
        #endif
    }

    @inline(never)
    private mutating func laterContainer(for key: ObjectIdentifier, from first: Int, at place: Place) -> AnyObject? {
        if isRetired { return nil }
        for step in 1..<Self.reach {
            let slot = (first + step) % Self.count
            if slots[slot].key == key, isIdle(slots + slot) {
                used |= 1 << UInt32(slot)
                slots[slot].place?.pointee = place
                return slots[slot].container
            }
        }
        return nil
    }

    /// Makes a container and keeps it, if there is a slot to keep it in: else nil.
    mutating func keep<Container>(
        for key: ObjectIdentifier, at place: Place, _ make: (UnsafeMutablePointer<Place>) -> Container
    ) -> Container? {
        #if os(Linux)
            guard !isRetired, MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else { return nil }
            let first = Self.firstSlot(key)
            for step in 0..<Self.reach {
                let slot = (first + step) % Self.count
                guard slots[slot].box == nil || isIdle(slots + slot) else { continue }
                let memory = slots[slot].place ?? .allocate(capacity: 1)
                memory.initialize(to: place)
                let container = make(memory)
                // A container of the standard library is a reference to its box and nothing else.
                let box = Unmanaged.passUnretained(unsafeBitCast(container, to: AnyObject.self))
                slots[slot] = Slot(key: key, container: KeptContainer(container), box: box, place: memory)
                used |= 1 << UInt32(slot)
                return container
            }
        #endif
        return nil
    }

    @inline(__always)
    private static func firstSlot(_ key: ObjectIdentifier) -> Int {
        let address = UInt(bitPattern: key)
        return Int(truncatingIfNeeded: (address ^ address &>> 9) &>> 3) & (count - 1)
    }
}

/// A container of the standard library that is kept. It knows the container's type: to copy one elsewhere, the type
/// would be looked up by the type of its keys, which takes as long as writing a small object.
final class KeptContainer<Container> {
    private let container: Container

    init(_ container: Container) {
        self.container = container
    }

    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func copy() -> Container { container }
}

/// Holds a place for a container whose box nobody keeps.
final class PlaceOwner<Place> {
    let place: UnsafeMutablePointer<Place>
    /// What the place refers to without holding it.
    private let holder: AnyObject

    /// The place must not need deinitialisation.
    init(_ value: Place, holder: AnyObject) {
        self.holder = holder
        place = .allocate(capacity: 1)
        place.initialize(to: value)
    }

    deinit {
        place.deallocate()
    }
}
