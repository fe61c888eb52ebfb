// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Which object a keyed container reads.
struct KeyedPlace {
    // Who holds the place also holds the document: its boxes, which are a part of it, or a `KeyedPlaceOwner`.
    let document: Unmanaged<JSONDocument>
    var object: Int
}

/// Holds a place for a container that is used once.
final class KeyedPlaceOwner {
    let place: UnsafeMutablePointer<KeyedPlace>
    private let document: JSONDocument

    init(_ document: JSONDocument, _ object: Int) {
        self.document = document
        place = .allocate(capacity: 1)
        // This object holds the document as long as the place exists.
        place.initialize(to: KeyedPlace(document: Unmanaged.passUnretained(document), object: object))
    }

    deinit {
        place.deallocate()
    }
}

/// The boxes which the standard library puts keyed containers into. To make one takes longer than to decode a small
/// object, mostly for looking up generic types: so a document keeps them, and hands one out again for the same type of
/// keys once nobody else refers to it.
struct ContainerBoxes: ~Copyable {
    fileprivate struct Slot {
        var key: ObjectIdentifier?
        var box: AnyObject?
        var place: UnsafeMutablePointer<KeyedPlace>?
    }

    fileprivate static var count: Int { 32 }
    /// How many slots from the one of its hash on may have a key's box.
    fileprivate static var reach: Int { 4 }

    fileprivate let slots: UnsafeMutablePointer<Slot>
    /// Bits of the slots whose boxes were handed out in this run.
    fileprivate var used: UInt32 = 0
    fileprivate private(set) var isRetired = false

    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(), count: Self.count)
    }

    deinit {
        for slot in 0..<Self.count { slots[slot].place?.deallocate() }
        slots.deinitialize(count: Self.count)
        slots.deallocate()
    }

    /// Whether nobody but the document refers to the boxes which were handed out.
    mutating func areIdle() -> Bool {
        while used != 0 {
            let slot = used.trailingZeroBitCount
            guard isKnownUniquelyReferenced(&slots[slot].box) else { return false }
            used &= used &- 1
        }
        return true
    }

    /// Ends the reuse: what is still asked of the document may be asked by any thread, and must not change the slots.
    mutating func retire() {
        isRetired = true
    }
}

extension JSONDocument {
    /// A container of an object's members.
    @inline(__always)
    func container<Key: CodingKey>(keyedBy type: Key.Type, of object: Int) -> KeyedDecodingContainer<Key> {
        #if os(Linux)
            let key = ObjectIdentifier(type)
            let first = ContainerBoxes.firstSlot(key)
            let candidate = boxes.slots + first
            if candidate.pointee.key == key, !boxes.isRetired, isKnownUniquelyReferenced(&candidate.pointee.box),
                let box = candidate.pointee.box, let place = candidate.pointee.place
            {
                boxes.used |= 1 &<< UInt32(truncatingIfNeeded: first)
                place.pointee.object = object
                // The box was taken out of such a container, which is a reference to it and nothing else.
                return unsafeBitCast(box, to: KeyedDecodingContainer<Key>.self)
            }
            return laterContainer(key, first, object)
        #else
            return newContainer(object)
        #endif
    }

    @inline(never)
    private func laterContainer<Key: CodingKey>(
        _ key: ObjectIdentifier, _ first: Int, _ object: Int
    ) -> KeyedDecodingContainer<Key> {
        guard !boxes.isRetired, MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<AnyObject>.size else {
            return newContainer(object)
        }
        var free: Int?
        for step in 0..<ContainerBoxes.reach {
            let slot = (first + step) % ContainerBoxes.count
            let candidate = boxes.slots + slot
            let isIdle = candidate.pointee.box == nil || isKnownUniquelyReferenced(&candidate.pointee.box)
            if isIdle, candidate.pointee.key == key, let box = candidate.pointee.box {
                boxes.used |= 1 << UInt32(slot)
                candidate.pointee.place?.pointee.object = object
                return unsafeBitCast(box, to: KeyedDecodingContainer<Key>.self)  // As above.
            }
            if isIdle, free == nil { free = slot }
        }
        guard let free else { return newContainer(object) }
        let place = boxes.slots[free].place ?? UnsafeMutablePointer<KeyedPlace>.allocate(capacity: 1)
        // The slots are a part of the document.
        place.initialize(to: KeyedPlace(document: Unmanaged.passUnretained(self), object: object))
        let container = KeyedDecodingContainer(KeyedMembers<Key>(place, owner: nil))
        // A container is a reference to its box and nothing else.
        let box = unsafeBitCast(container, to: AnyObject.self)
        boxes.slots[free] = ContainerBoxes.Slot(key: key, box: box, place: place)
        boxes.used |= 1 << UInt32(free)
        return container
    }

    /// A container with a box of its own, which nobody uses again.
    private func newContainer<Key: CodingKey>(_ object: Int) -> KeyedDecodingContainer<Key> {
        let owner = KeyedPlaceOwner(self, object)
        return KeyedDecodingContainer(KeyedMembers<Key>(owner.place, owner: owner))
    }
}

extension ContainerBoxes {
    @inline(__always)
    fileprivate static func firstSlot(_ key: ObjectIdentifier) -> Int {
        let address = UInt(bitPattern: key)
        return Int(truncatingIfNeeded: (address ^ address &>> 9) &>> 3) & (count - 1)
    }
}
