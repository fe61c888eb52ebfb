// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The positions of the resources of a document by key, and by type.
///
/// If a resource is repeated, the first one wins, except that a resource replaces an identifier.
struct ResourcePositions: Sendable {
    /// The resources of a type, without those that another resource has replaced.
    private struct TypeGroup {
        /// The place of the type's name in the first of the resources.
        var type: UInt32
        var positions: [Int]
    }

    private static let linearTypeCount = 16

    /// The types in the order of their first resources.
    private var groups: [TypeGroup] = []
    /// The groups of the types after the first ``linearTypeCount``.
    private var laterGroups: [String: Int] = [:]
    /// A free slot is 0. In others, the upper 32 bits are half of the key's hash, and the lower 32 bits are
    /// 2 · (position + 1), plus 1 if the key is local.
    private var slots: [UInt64]

    init(_ document: ReceivedDocument) {
        // Half of the slots stay free, so that the next free one is near.
        var capacity = 16
        while capacity < 2 * document.resources.count { capacity *= 2 }
        slots = Array(repeating: 0, count: capacity)
        var keyCount = 0
        for (position, resource) in document.resources.enumerated() {
            var isFirst = true
            if resource.id != 0 {
                keyCount += 1
                isFirst = add(position, resource.id, isLocal: false, in: document)
            }
            if resource.lid != 0 {
                keyCount += 1
                if 2 * keyCount > slots.count { grow() }
                let isFirstLocal = add(position, resource.lid, isLocal: true, in: document)
                isFirst = isFirst && resource.id != 0 || isFirstLocal
            }
            if isFirst { add(position, to: resource.type, in: document.reader.tree) }
        }
    }

    func positions(of type: String, in document: ReceivedDocument) -> [Int] {
        let group =
            groups.prefix(Self.linearTypeCount).first { document.reader.tree.isText(at: Int($0.type), type) }
            ?? laterGroups[type].map { groups[$0] }
        return group?.positions ?? []
    }

    /// Returns the position of a resource, or `nil` if the document lacks it.
    func position(of identifier: ResourceIdentifierObject, in document: ReceivedDocument) -> Int? {
        guard let id = identifier.id ?? identifier.lid else { return nil }
        let (type, isLocal) = (identifier.type, identifier.id == nil)
        let slot = slot(Self.hash(type: type, id: id, isLocal: isLocal), isLocal: isLocal) { position in
            let resource = document.resources[position]
            return document.reader.tree.isText(at: Int(isLocal ? resource.lid : resource.id), id)
                && document.reader.tree.isText(at: Int(resource.type), type)
        }
        return slots[slot] == 0 ? nil : Self.position(slots[slot])
    }

    // MARK: Making

    /// Returns whether the position of the key is that of the resource.
    private mutating func add(_ position: Int, _ id: UInt32, isLocal: Bool, in document: ReceivedDocument) -> Bool {
        let resource = document.resources[position]
        let hash = Self.hash(resource, id, isLocal: isLocal, in: document.reader.tree)
        let slot = slot(hash, isLocal: isLocal) { known in
            let other = document.resources[known]
            return Self.haveOneText(id, isLocal ? other.lid : other.id, in: document.reader.tree)
                && Self.haveOneText(resource.type, other.type, in: document.reader.tree)
        }
        let isFirst = slots[slot] == 0
        guard isFirst || (!resource.isBare && document.resources[Self.position(slots[slot])].isBare) else {
            return false
        }
        slots[slot] = (hash >> 32) << 32 | UInt64(truncatingIfNeeded: (position + 1) << 1 | (isLocal ? 1 : 0))
        return true
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: 2 * old.count)
        for slot in old where slot != 0 {
            var place = Int(truncatingIfNeeded: slot >> 32) & (slots.count - 1)
            while slots[place] != 0 { place = (place + 1) & (slots.count - 1) }
            slots[place] = slot
        }
    }

    private mutating func add(_ position: Int, to type: UInt32, in tree: JSONTree) {
        let first = groups.indices.prefix(Self.linearTypeCount)
        let group = first.first { Self.haveOneText(groups[$0].type, type, in: tree) }
        if let group = group ?? laterGroup(of: type, in: tree) {
            groups[group].positions.append(position)
        } else {
            groups.append(TypeGroup(type: type, positions: [position]))
        }
    }

    /// Returns the group of a type after the first ones. If there is none yet, registers the type for the next group.
    private mutating func laterGroup(of type: UInt32, in tree: JSONTree) -> Int? {
        guard groups.count >= Self.linearTypeCount, let name = tree.string(at: Int(type)) else { return nil }
        if let known = laterGroups[name] { return known }
        laterGroups[name] = groups.count
        return nil
    }

    /// Returns the slot that holds a key, or the free slot for it.
    private func slot(_ hash: UInt64, isLocal: Bool, _ isKey: (Int) -> Bool) -> Int {
        var slot = Int(truncatingIfNeeded: hash >> 32) & (slots.count - 1)
        while slots[slot] != 0 {
            let found = slots[slot]
            if found >> 32 == hash >> 32, (found & 1 == 1) == isLocal, isKey(Self.position(found)) { return slot }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private static func position(_ slot: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: slot) >> 1) - 1 }

    // MARK: Keys

    /// A seeded hash, which the author of a document cannot predict. So nobody can make all keys collide.
    private static func hash(_ resource: ResourcePlaces, _ id: UInt32, isLocal: Bool, in tree: JSONTree) -> UInt64 {
        let (type, id) = (Int(resource.type), Int(id))
        guard !tree.entries[type].isEscaped, !tree.entries[id].isEscaped else {
            return hash(type: tree.string(at: type) ?? "", id: tree.string(at: id) ?? "", isLocal: isLocal)
        }
        var hasher = Hasher()
        tree.hash(id, into: &hasher)
        tree.hash(type, into: &hasher)
        hasher.combine(isLocal)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func hash(type: String, id: String, isLocal: Bool) -> UInt64 {
        var hasher = Hasher()
        for text in [id, type] {
            var text = text
            text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
        hasher.combine(isLocal)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func haveOneText(_ left: UInt32, _ right: UInt32, in tree: JSONTree) -> Bool {
        let (left, right) = (Int(left), Int(right))
        if tree.areEqual(left, right) { return true }
        guard tree.entries[left].isEscaped || tree.entries[right].isEscaped else { return false }
        guard let text = tree.string(at: left) else { return false }
        return tree.isText(at: right, text)
    }
}
