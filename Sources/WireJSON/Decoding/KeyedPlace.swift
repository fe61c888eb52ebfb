// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Which object a keyed container reads.
struct KeyedPlace {
    // The document holds the place in its boxes, or the place's owner holds the document.
    let document: Unmanaged<JSONDocument>
    let object: Int
}

extension JSONDocument {
    /// A container of an object's members.
    @inline(__always)
    func container<Key: CodingKey>(keyedBy type: Key.Type, of object: Int) -> KeyedDecodingContainer<Key> {
        // What holds the document is told at `KeyedPlace`; the kept container is held by the boxes.
        let place = KeyedPlace(document: Unmanaged.passUnretained(self), object: object)
        let kept: Unmanaged<KeptContainer<KeyedDecodingContainer<Key>>>? = boxes.container(
            for: ObjectIdentifier(type), at: place)
        guard let kept else { return newContainer(place) }
        return kept._withUnsafeGuaranteedRef { $0.copy() }
    }

    @inline(never)
    private func newContainer<Key: CodingKey>(_ place: KeyedPlace) -> KeyedDecodingContainer<Key> {
        boxes.keep(for: ObjectIdentifier(Key.self), at: place) {
            KeyedDecodingContainer(KeyedMembers<Key>($0, owner: nil))
        } ?? ownedContainer(place)
    }

    /// A container with a box of its own, which nobody uses again.
    private func ownedContainer<Key: CodingKey>(_ place: KeyedPlace) -> KeyedDecodingContainer<Key> {
        let owner = PlaceOwner(place, holder: self)
        return KeyedDecodingContainer(KeyedMembers<Key>(owner.place, owner: owner))
    }
}
