// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Makes a value from a resource object that was checked and not read.
///
/// It makes the values that ``ResourceReading`` makes. If anything does not fit, it makes none, and ``ResourceReading`` finds the
/// error.
struct OutlineReading {
    private let tree: JSONTree
    private let outline: ResourceOutline

    init(_ tree: JSONTree, _ outline: ResourceOutline) {
        self.tree = tree
        self.outline = outline
    }

    /// Returns the value, which belongs to no graph and has no baseline.
    func value<R: Resource>(_ options: ResourceOptions) -> R? {
        let table = R.schema.table
        guard tree.isText(at: Int(outline.type), table.type) else { return nil }
        var value = R()
        var state = ResourceState<R>()
        if outline.id != 0 { state.id = tree.string(at: Int(outline.id)).map { R.ID($0) } }
        if outline.lid != 0 { state.lid = tree.string(at: Int(outline.lid)).map { LocalID($0) } }
        state.details = ResourceDetails(tree, links: Int(outline.links), meta: Int(outline.meta))
        guard readFields(Int(outline.attributes), table, &value, &state.present),
            readFields(Int(outline.relationships), table, &value, &state.present)
        else { return nil }
        for position in table.required where !state.present.contains(position) { return nil }
        value.state = state
        return value
    }

    /// Reads the attributes or the relationships.
    private func readFields<R: Resource>(
        _ object: Int, _ table: FieldTable<R>, _ value: inout R, _ present: inout FieldSet
    ) -> Bool {
        guard object != 0 else { return true }
        let areAttributes = object == Int(outline.attributes)
        let entries = tree.entries
        var last = -1
        var index = object + 1
        let end = Int(entries[object].next)
        while index < end {
            let member = index
            index = Int(entries[member + 1].next)
            guard let position = table.position(ofName: member, in: tree, after: last) else { continue }
            switch table.accesses[position] {
            case .attribute(let access):
                guard areAttributes else { continue }
                guard (try? access.readNode(tree, member + 1, &value)) != nil else { return false }
            case .relationship(let access):
                guard !areAttributes else { continue }
                guard access.readNode(tree, member + 1, &value) else { return false }
            }
            last = position
            present.insert(position)
        }
        return true
    }
}

extension Identifier {
    /// Reads an identifier of a plain document.
    init?(_ tree: JSONTree, at object: Int) {
        var type: String?
        var id: String?
        var lid: String?
        var meta: RawObject?
        var index = object + 1
        let end = Int(tree.entries[object].next)
        while index < end {
            let value = index + 1
            switch tree.entries[index].length {
            case 4 where tree.isText(at: index, "type"): type = tree.string(at: value)
            case 2 where tree.isText(at: index, "id"): id = tree.string(at: value)
            case 3 where tree.isText(at: index, "lid"): lid = tree.string(at: value)
            case 4 where tree.isText(at: index, "meta"): meta = RawObject(unchecked: tree.json(at: value))
            default: break
            }
            index = Int(tree.entries[value].next)
        }
        guard let type else { return nil }
        self.init(type: type, rawID: id, rawLocalID: lid, meta: meta)
    }
}

/// The parts of a relationship object in a plain document. 0 stands for an absent part.
struct RelationshipOutline {
    private(set) var data = 0
    private var links = 0
    private var meta = 0

    init(_ tree: JSONTree, at object: Int) {
        var index = object + 1
        let end = Int(tree.entries[object].next)
        while index < end {
            let value = index + 1
            switch tree.entries[index].length {
            case 4 where tree.isText(at: index, "data"): data = value
            case 5 where tree.isText(at: index, "links"): links = value
            case 4 where tree.isText(at: index, "meta"): meta = value
            default: break
            }
            index = Int(tree.entries[value].next)
        }
    }

    func details(in tree: JSONTree) -> ResourceDetails? { ResourceDetails(tree, links: links, meta: meta) }
}
