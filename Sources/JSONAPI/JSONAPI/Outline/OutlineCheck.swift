// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Finds out whether a document is plain, and where its resources are.
///
/// In a plain document, the members that the specification defines have values of the right kinds, occur once, and are not `null`,
/// except for data and links. Their names and those of relationships have no escapes. There is no `errors`. The names and
/// values of attributes are not checked, because readers of attributes expect anything.
struct OutlineCheck {
    let tree: JSONTree
    private(set) var shape = DocumentOutline.Shape.absent
    private(set) var data: [ResourceOutline] = []
    private(set) var included: [ResourceOutline] = []
    private(set) var links: Links?
    private(set) var meta: RawObject?

    init(tree: JSONTree) { self.tree = tree }

    /// Checks the whole document.
    mutating func document() -> Bool {
        var names = KnownNames()
        var index = 1
        let end = next(after: 0)
        while index < end {
            let value = index + 1
            guard !isEscaped(index) else { return false }
            let name = tree.string(at: index) ?? ""
            switch name {
            case "data": guard names.add(.data), primaryData(value) else { return false }
            case "included":
                guard names.add(.included), kind(value) == .array, resources(value, &included) else { return false }
            case "links":
                guard names.add(.links), let part = try? Links(reading: tree.json(at: value), with: DocumentReader())
                else { return false }
                links = part
            case "meta":
                guard names.add(.meta), let part = RawObject(tree.json(at: value)) else { return false }
                meta = part
            case "jsonapi":
                guard names.add(.jsonapi),
                    (try? JSONAPIObject(reading: tree.json(at: value), with: DocumentReader())) != nil
                else { return false }
            case "errors": return false
            default: break
            }
            index = next(after: value)
        }
        return true
    }

    private mutating func primaryData(_ value: Int) -> Bool {
        switch kind(value) {
        case .null: shape = .null
        case .object:
            shape = .single
            guard let resource = resource(value) else { return false }
            data = [resource]
        case .array:
            shape = .collection
            return resources(value, &data)
        default: return false
        }
        return true
    }

    private func resources(_ array: Int, _ resources: inout [ResourceOutline]) -> Bool {
        var index = array + 1
        let end = next(after: array)
        while index < end {
            guard let resource = resource(index) else { return false }
            resources.append(resource)
            index = next(after: index)
        }
        return true
    }

    private func resource(_ object: Int) -> ResourceOutline? {
        guard kind(object) == .object else { return nil }
        var outline = ResourceOutline(object: Int32(truncatingIfNeeded: object))
        var index = object + 1
        let end = next(after: object)
        while index < end {
            let value = index + 1
            guard !isEscaped(index) else { return nil }
            let place = Int32(truncatingIfNeeded: value)
            switch tree.entries[index].length {
            case 4 where tree.isText(at: index, "type"):
                guard outline.type == 0, isReadable(value) else { return nil }
                outline.type = place
            case 2 where tree.isText(at: index, "id"):
                guard outline.id == 0, isReadable(value) else { return nil }
                outline.id = place
            case 3 where tree.isText(at: index, "lid"):
                guard outline.lid == 0, isReadable(value) else { return nil }
                outline.lid = place
            case 10 where tree.isText(at: index, "attributes"):
                guard outline.attributes == 0, kind(value) == .object else { return nil }
                outline.attributes = place
            case 13 where tree.isText(at: index, "relationships"):
                guard outline.relationships == 0, relationships(value) else { return nil }
                outline.relationships = place
            case 5 where tree.isText(at: index, "links"):
                guard outline.links == 0, areLinks(value) else { return nil }
                outline.links = place
            case 4 where tree.isText(at: index, "meta"):
                guard outline.meta == 0, kind(value) == .object else { return nil }
                outline.meta = place
            default: break
            }
            index = next(after: value)
        }
        return outline.type == 0 ? nil : outline
    }

    // MARK: Parts of resources

    private func relationships(_ object: Int) -> Bool {
        guard kind(object) == .object, areNamesDifferent(object) else { return false }
        var index = object + 1
        let end = next(after: object)
        while index < end {
            guard isRegular(index), relationship(index + 1) else { return false }
            index = next(after: index + 1)
        }
        return true
    }

    private func relationship(_ object: Int) -> Bool {
        guard kind(object) == .object else { return false }
        var names = KnownNames()
        var index = object + 1
        let end = next(after: object)
        while index < end {
            let value = index + 1
            guard !isEscaped(index) else { return false }
            switch tree.entries[index].length {
            case 4 where tree.isText(at: index, "data"):
                guard names.add(.data), isLinkage(value) else { return false }
            case 5 where tree.isText(at: index, "links"):
                guard names.add(.links), areLinks(value) else { return false }
            case 4 where tree.isText(at: index, "meta"):
                guard names.add(.meta), kind(value) == .object else { return false }
            default: break
            }
            index = next(after: value)
        }
        return true
    }

    private func isLinkage(_ value: Int) -> Bool {
        switch kind(value) {
        case .null: return true
        case .object: return isIdentifier(value)
        case .array:
            var index = value + 1
            let end = next(after: value)
            while index < end {
                guard isIdentifier(index) else { return false }
                index = next(after: index)
            }
            return true
        default: return false
        }
    }

    private func isIdentifier(_ object: Int) -> Bool {
        guard kind(object) == .object else { return false }
        var names = KnownNames()
        var index = object + 1
        let end = next(after: object)
        while index < end {
            let value = index + 1
            guard !isEscaped(index) else { return false }
            switch tree.entries[index].length {
            case 4 where tree.isText(at: index, "type"):
                guard names.add(.type), isReadable(value) else { return false }
            case 2 where tree.isText(at: index, "id"): guard names.add(.id), isReadable(value) else { return false }
            case 3 where tree.isText(at: index, "lid"): guard names.add(.lid), isReadable(value) else { return false }
            case 4 where tree.isText(at: index, "meta"):
                guard names.add(.meta), kind(value) == .object else { return false }
            default: break
            }
            index = next(after: value)
        }
        return names.contains(.type) && (names.contains(.id) || names.contains(.lid))
    }

    private func areLinks(_ object: Int) -> Bool {
        guard kind(object) == .object else { return false }
        var index = object + 1
        let end = next(after: object)
        while index < end {
            let value = index + 1
            guard !isEscaped(index) else { return false }
            switch kind(value) {
            case .null: break
            case .string: guard isReadable(value) else { return false }
            default:
                // Link objects are rare.
                guard (try? Link(reading: tree.json(at: value), with: DocumentReader())) != nil else { return false }
            }
            index = next(after: value)
        }
        return true
    }

    // MARK: Names and values

    private func kind(_ index: Int) -> TapeEntry.Kind { tree.entries[index].kind }

    private func next(after index: Int) -> Int { Int(tree.entries[index].next) }

    private func isEscaped(_ index: Int) -> Bool { tree.entries[index].flags.contains(.isEscaped) }

    /// Whether the value is a string that a `String` can hold.
    private func isReadable(_ index: Int) -> Bool {
        kind(index) == .string && (!isEscaped(index) || tree.string(at: index) != nil)
    }

    /// Whether a name without escapes belongs to no extension and is no @-member.
    private func isRegular(_ index: Int) -> Bool {
        tree.firstByte(at: index) != UInt8(ascii: "@") && !tree.contains(UInt8(ascii: ":"), at: index)
    }

    /// Whether the names of an object have no escapes and occur once. It is `false` for an object with more than 32 members, because
    /// comparing takes time by the square.
    private func areNamesDifferent(_ object: Int) -> Bool {
        var index = object + 1
        let end = next(after: object)
        var count = 0
        while index < end {
            count += 1
            guard !isEscaped(index), count <= 32 else { return false }
            var earlier = object + 1
            while earlier < index {
                if tree.areEqual(earlier, index) { return false }
                earlier = next(after: earlier + 1)
            }
            index = next(after: index + 1)
        }
        return true
    }
}

/// The names that were found in an object.
private struct KnownNames: OptionSet {
    let rawValue: UInt8

    static let data = KnownNames(rawValue: 1)
    static let included = KnownNames(rawValue: 2)
    static let links = KnownNames(rawValue: 4)
    static let meta = KnownNames(rawValue: 8)
    static let jsonapi = KnownNames(rawValue: 16)
    static let type = KnownNames(rawValue: 32)
    static let id = KnownNames(rawValue: 64)
    static let lid = KnownNames(rawValue: 128)

    /// Adds a name, and returns whether the name is new.
    mutating func add(_ name: KnownNames) -> Bool {
        guard isDisjoint(with: name) else { return false }
        formUnion(name)
        return true
    }
}
