// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The members of one object by name, where searching it name by name would take too long.
struct NameIndex {
    /// The entry of each name's value.
    var values: [NameBytes: Int] = [:]
}

/// A name that is compared by its bytes (RFC 8259 §8.3), which Swift strings are not.
struct NameBytes: Hashable {
    var text: String

    static func == (left: NameBytes, right: NameBytes) -> Bool {
        // Strings that differ have different bytes; equal ones need not have the same.
        left.text.utf8.count == right.text.utf8.count && left.text == right.text
            && left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension JSONDocument {
    /// Objects are searched name by name up to this many steps before they get an index.
    private static var searchLimit: Int { 48 }

    /// The entry of a member's value; nil when the object has no such member. Of members with one name the last counts.
    ///
    /// Types ask for their members mostly in the order in which they were written: so the search begins after the last
    /// member that was found.
    @inline(__always)
    func value(of name: String, in object: Int) -> Int? {
        if convertsNames { return nameIndex(of: object).values[NameBytes(text: name)] }
        if !names.isEmpty, let index = names[object] { return index.values[NameBytes(text: name)] }
        return name.withContiguousUTF8 { search($0, in: object) }
    }

    @inline(__always)
    private func search(_ name: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
        let entries = tape.entries
        let end = Int(entries[object].next)
        let start = object &+ 1 &+ Int(entries[object].hint)
        if !entries[object].flags.contains(.isChecked) { check(object) }
        if entries[object].flags.contains(.hasDuplicates) { return searchLast(name, in: object) }
        var steps = 0
        var index = start
        while index < end {
            if matches(entries[index], name) { return found(index, in: object) }
            index = Int(entries[index &+ 1].next)
            steps &+= 1
        }
        index = object &+ 1
        while index < start {
            if matches(entries[index], name) { return found(index, in: object) }
            index = Int(entries[index &+ 1].next)
            steps &+= 1
        }
        if steps > Self.searchLimit { _ = nameIndex(of: object) }
        return nil
    }

    @inline(__always)
    private func found(_ index: Int, in object: Int) -> Int {
        let entries = tape.entries
        let distance = Int(entries[index &+ 1].next) &- object &- 1
        entries[object].hint = UInt16(exactly: distance) ?? 0
        return index &+ 1
    }

    private func searchLast(_ name: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
        var last: Int?
        var index = object + 1
        while index < entry(object).next {
            if matches(entry(index), name) { last = index + 1 }
            index = Int(entry(index + 1).next)
        }
        return last
    }

    @inline(__always)
    private func matches(_ entry: TapeEntry, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        if entry.flags.contains(.isEscaped) { return matchesUnescaped(entry, name) }
        guard Int(entry.length) == name.count else { return false }
        guard let name = name.baseAddress else { return true }
        let bytes = text + Int(entry.offset)
        let length = Int(entry.length)
        return SWAR.areEqual(bytes, name, length)
    }

    @inline(never)
    private func matchesUnescaped(_ entry: TapeEntry, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard entry.length >= name.count, let text = try? StringContent.string(text, entry.content) else {
            return false
        }
        return text.utf8.elementsEqual(name)
    }
}

extension JSONDocument {
    /// Finds out whether an object has a name twice, before the first search in it. Different names have different
    /// marks mostly; where a name's marks were set before, the names before are compared.
    @inline(never)
    private func check(_ object: Int) {
        let entries = tape.entries
        var marks = NameMarks()
        var isUnique = true
        var hasEscapes = false
        var members = 0
        var index = object &+ 1
        let end = Int(entries[object].next)
        while index < end, isUnique {
            let start = Int(entries[index].offset)
            let isMarked = marks.insert(text + start, count: Int(entries[index].length))
            members &+= 1
            if entries[index].flags.contains(.isEscaped) { hasEscapes = true }
            // What a name with escapes stands for its mark does not tell.
            if isMarked || hasEscapes {
                if members > 64 {
                    // Comparing would take time by the square: an index tells too, and serves the searches.
                    _ = nameIndex(of: object)
                    break
                }
                isUnique = !isNameBefore(index, in: object)
            }
            index = Int(entries[index &+ 1].next)
        }
        entries[object].flags.insert(isUnique ? .isChecked : [.isChecked, .hasDuplicates])
    }

    private func isNameBefore(_ name: Int, in object: Int) -> Bool {
        var index = object + 1
        while index < name {
            if namesAreEqual(entry(index), entry(name)) { return true }
            index = Int(entry(index + 1).next)
        }
        return false
    }

    private func namesAreEqual(_ left: TapeEntry, _ right: TapeEntry) -> Bool {
        if left.flags.contains(.isEscaped) {
            guard var name = try? StringContent.string(text, left.content) else { return false }
            return name.withUTF8 { matches(right, $0) }
        }
        return matches(right, UnsafeBufferPointer(start: text + Int(left.offset), count: Int(left.length)))
    }

    /// The object's names, made at the first call. A name that escapes half of a surrogate pair is no `String`, so
    /// nobody can ask for it.
    func nameIndex(of object: Int) -> NameIndex {
        if let index = names[object] { return index }
        var result = NameIndex()
        var index = object + 1
        while index < entry(object).next {
            if (try? StringContent.string(text, entry(index).content)) != nil {
                result.values[NameBytes(text: convertedName(index, in: object))] = index + 1
            }
            index = Int(entry(index + 1).next)
        }
        names[object] = result
        return result
    }

    /// A member's name, as the key strategy has it; replacement characters stand for what no `String` can hold.
    func convertedName(_ name: Int, in object: Int) -> String {
        let content = entry(name).content
        let text =
            (try? StringContent.string(text, content))
            ?? String(
                decoding: UnsafeBufferPointer(start: text + content.range.lowerBound, count: content.range.count),
                as: UTF8.self)
        switch options.keyDecodingStrategy {
        case .useDefaultKeys: return text
        case .convertFromSnakeCase: return SnakeCase.camelCase(text)
        case .custom(let convert): return convert(path(to: object) + [AnyCodingKey(stringValue: text)]).stringValue
        }
    }

    /// Whether any object of the text has a name twice: the place of the second.
    func firstDuplicateName() -> Int? {
        for index in 0..<tape.count where entry(index).kind == .object {
            var seen: Set<NameBytes> = []
            var name = index + 1
            while name < entry(index).next {
                if let text = try? StringContent.string(text, entry(name).content),
                    !seen.insert(NameBytes(text: text)).inserted
                {
                    return Int(entry(name).offset) - 1
                }
                name = Int(entry(name + 1).next)
            }
        }
        return nil
    }
}
