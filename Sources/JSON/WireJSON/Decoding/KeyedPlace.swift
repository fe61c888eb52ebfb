// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Which object a keyed container reads.
@safe struct KeyedPlace {
    // The document holds the place in its boxes, or the place's owner holds the document.
    let document: Unmanaged<JSONDocument>
    let object: Int
}

extension JSONDocument {
    @inline(__always)
    func container<Key: CodingKey>(keyedBy type: Key.Type, of object: Int) -> KeyedDecodingContainer<Key> {
        // What holds the document is told at `KeyedPlace`; the kept container is held by the boxes.
        let place = unsafe KeyedPlace(document: Unmanaged.passUnretained(self), object: object)
        let kept: Unmanaged<KeptContainer<KeyedDecodingContainer<Key>>>? = unsafe boxes.container(
            for: ObjectIdentifier(type), at: place)
        guard let kept = unsafe kept else { return newContainer(place) }
        return unsafe kept._withUnsafeGuaranteedRef { $0.copy() }
    }

    @inline(never)
    private func newContainer<Key: CodingKey>(_ place: KeyedPlace) -> KeyedDecodingContainer<Key> {
        unsafe boxes.keep(for: ObjectIdentifier(Key.self), at: place) {
            unsafe KeyedDecodingContainer(KeyedMembers<Key>($0, owner: nil))
        } ?? ownedContainer(place)
    }

    /// A container with a box of its own, which nobody uses again.
    private func ownedContainer<Key: CodingKey>(_ place: KeyedPlace) -> KeyedDecodingContainer<Key> {
        let owner = PlaceOwner(place, holder: self)
        return unsafe KeyedDecodingContainer(KeyedMembers<Key>(owner.place, owner: owner))
    }
}
