// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The boxes in which the standard library stores keyed containers, kept for reuse.
///
/// The standard library allocates a box for each keyed container and looks up three generic types. This takes about
/// 1100 instructions: 27 % of the time to decode an object with three members, 20 % of the time to decode a result of
/// 1.8 KB, and 30 % of the time to encode that result. So a box is kept. It is reused for the same key type when
/// nothing else refers to it. A place next to the box, which can be changed, refers to the object that the container
/// reads or writes.
///
/// The reuse requires that a container is one reference to its box. ``ContainerCheck`` verifies this at the first use.
/// If it is false, each container gets its own box.
@safe struct ContainerBoxes<Place: ContainerPlace>: ~Copyable {
    @safe private struct Slot {
        var key: ObjectIdentifier?
        /// The `KeptContainer`, which retains the box.
        var container: AnyObject?
        var box: Unmanaged<AnyObject>?
        var place: UnsafeMutablePointer<Place>?
    }

    private static var count: Int { 32 }
    /// The number of slots that may have a key's box, from the slot of the key's hash.
    private static var reach: Int { 4 }

    private let slots: UnsafeMutablePointer<Slot>
    /// One bit per slot, set if the box of the slot was handed out in this run.
    private var used: UInt32 = 0
    private var isRetired = false

    init() {
        unsafe slots = .allocate(capacity: Self.count)
        unsafe slots.initialize(repeating: Slot(), count: Self.count)
    }

    deinit {
        for slot in 0..<Self.count { unsafe slots[slot].place?.deallocate() }
        unsafe slots.deinitialize(count: Self.count)
        unsafe slots.deallocate()
    }

    /// Returns whether nothing else refers to the boxes that were handed out.
    mutating func areIdle() -> Bool {
        while used != 0 {
            let slot = used.trailingZeroBitCount
            guard unsafe isIdle(slots + slot) else { return false }
            used &= used &- 1
        }
        return true
    }

    /// Ends the reuse. From then on the slots do not change, because other threads may still use the boxes.
    mutating func retire() { isRetired = true }

    /// Returns whether only the slot refers to its box.
    @inline(__always)
    private func isIdle(_ slot: UnsafeMutablePointer<Slot>) -> Bool {
        // The container retains the box. An unmanaged reference has the same layout as a strong one.
        unsafe withUnsafeMutablePointer(to: &slot.pointee.box) { box in
            unsafe box.withMemoryRebound(to: AnyObject?.self, capacity: 1) {
                unsafe isKnownUniquelyReferenced(&$0.pointee)
            }
        }
    }

    /// Returns an unused container for a type of keys, after setting its place. It returns `nil` if there is none.
    @inline(__always)
    mutating func container<Container>(
        for key: ObjectIdentifier, at place: @autoclosure () -> Place
    ) -> Unmanaged<KeptContainer<Container>>? {
        let first = Self.firstSlot(key)
        let slot = unsafe slots + first
        if unsafe slot.pointee.key == key, !isRetired, unsafe isIdle(slot) {
            used |= 1 &<< UInt32(truncatingIfNeeded: first)
            unsafe slot.pointee.place?.pointee = place()
            // A slot's key identifies the type of its container.
            return unsafe unsafeBitCast(slot.pointee.container, to: Unmanaged<KeptContainer<Container>>?.self)
        }
        return unsafe unsafeBitCast(
            laterContainer(for: key, from: first, at: place()), to: Unmanaged<KeptContainer<Container>>?.self)
    }

    @inline(never)
    private mutating func laterContainer(for key: ObjectIdentifier, from first: Int, at place: Place) -> AnyObject? {
        if isRetired { return nil }
        for step in 1..<Self.reach {
            let slot = (first + step) % Self.count
            if unsafe slots[slot].key == key, unsafe isIdle(slots + slot) {
                used |= 1 << UInt32(slot)
                unsafe slots[slot].place?.pointee = place
                return unsafe slots[slot].container
            }
        }
        return nil
    }

    /// Makes a container and keeps it. It returns `nil` if no slot is free.
    mutating func keep<Container>(
        for key: ObjectIdentifier, at place: Place, _ make: (UnsafeMutablePointer<Place>) -> Container
    ) -> Container? {
        guard !isRetired, Place.hasBoxedContainers, MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size
        else { return nil }
        let first = Self.firstSlot(key)
        for step in 0..<Self.reach {
            let slot = (first + step) % Self.count
            guard unsafe slots[slot].box == nil || isIdle(slots + slot) else { continue }
            let memory = unsafe slots[slot].place ?? .allocate(capacity: 1)
            unsafe memory.initialize(to: place)
            let container = unsafe make(memory)
            // `ContainerCheck` has verified that a container is a reference to its box and nothing else.
            let box = unsafe Unmanaged.passUnretained(unsafeBitCast(container, to: AnyObject.self))
            unsafe slots[slot] = unsafe Slot(key: key, container: KeptContainer(container), box: box, place: memory)
            used |= 1 << UInt32(slot)
            return container
        }
        return nil
    }

    @inline(__always)
    private static func firstSlot(_ key: ObjectIdentifier) -> Int {
        let address = UInt(bitPattern: key)
        return Int(truncatingIfNeeded: (address ^ address &>> 9) &>> 3) & (count - 1)
    }
}

/// A container of the standard library that is kept for reuse.
///
/// `copy()` is compiled for the container's type. A generic copy would look up that type by the type of the keys, which
/// takes as long as writing a small object.
final class KeptContainer<Container> {
    private let container: Container

    init(_ container: Container) { self.container = container }

    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func copy() -> Container { container }
}

/// Owns the place of a container whose box is not kept.
@safe final class PlaceOwner<Place> {
    let place: UnsafeMutablePointer<Place>
    /// The object that the place refers to. The place does not retain it.
    private let holder: AnyObject

    /// The place must not need deinitialisation.
    init(_ value: Place, holder: AnyObject) {
        self.holder = holder
        unsafe place = .allocate(capacity: 1)
        unsafe place.initialize(to: value)
    }

    deinit {
        unsafe place.deallocate()
    }
}
