// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONDocument {
    /// An object gets an index when one search of its names takes more steps than this.
    private static var searchLimit: Int { 48 }

    /// Returns the entry of a member's value, or `nil` if the object has no such member. If a name is repeated, the
    /// last member wins.
    ///
    /// Types usually read their members in the order in which they were written. So the search begins after the last
    /// member that was found.
    @inline(__always)
    func value(of name: String, in object: Int) -> Int? {
        if convertsNames { return convertedNames(of: object)[NameBytes(text: name)] }
        return unsafe name.withContiguousUTF8 { unsafe search($0, in: object) }
    }

    @inline(__always)
    private func search(_ name: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
        if tape[object].flags != .isChecked {
            check(object)
            if tape[object].flags != .isChecked { return unsafe searchOther(name, in: object) }
        }
        let end = Int(tape[object].next)
        let start = object &+ 1 &+ Int(tape[object].hint)
        var steps = 0
        var index = start
        while index < end {
            if unsafe matches(tape[index], name) { return found(index, in: object) }
            index = Int(tape[index &+ 1].next)
            steps &+= 1
        }
        index = object &+ 1
        while index < start, unsafe !matches(tape[index], name) {
            index = Int(tape[index &+ 1].next)
            steps &+= 1
        }
        if steps > Self.searchLimit { makeIndex(of: object) }
        return index < start ? found(index, in: object) : nil
    }

    @inline(__always)
    private func found(_ index: Int, in object: Int) -> Int {
        let distance = Int(tape[index &+ 1].next) &- object &- 1
        tape[object].hint = UInt16(exactly: distance) ?? 0
        return index &+ 1
    }

    /// Searches an object that has an index or repeated names.
    @inline(never)
    private func searchOther(_ name: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
        if entry(object).flags.contains(.isIndexed) {
            return unsafe rare.indexes[object]?.find(hash: hash(name)) { unsafe matches(entry($0), name) }.map {
                $0 + 1
            }
        }
        var last: Int?
        var index = object + 1
        while index < entry(object).next {
            if unsafe matches(entry(index), name) { last = index + 1 }
            index = Int(entry(index + 1).next)
        }
        return last
    }

    @inline(__always)
    private func matches(_ entry: TapeEntry, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        if entry.flags.contains(.isEscaped) { return unsafe matchesUnescaped(entry, name) }
        guard Int(entry.length) == name.count else { return false }
        guard let name = name.baseAddress else { return true }
        guard let start = unsafe text.utf8(entry.range).baseAddress else { return false }
        return unsafe SWAR.areEqual(start, name, Int(entry.length))
    }

    @inline(never)
    private func matchesUnescaped(_ entry: TapeEntry, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard entry.length >= name.count, let text = try? text.string(entry.content) else {
            return false
        }
        return unsafe text.utf8.elementsEqual(name)
    }
}

extension JSONDocument {
    /// Checks an object for repeated names, before the first search in it. Different names usually have different
    /// marks. If the marks of a name are already set, the name is compared with all names before it.
    @inline(never)
    func check(_ object: Int) {
        if tape[object].flags.contains(.isChecked) { return }
        var marks = NameMarks()
        var isUnique = true
        var hasEscapes = false
        var members = 0
        var index = object &+ 1
        let end = Int(tape[object].next)
        while index < end, isUnique {
            let isMarked = unsafe marks.insert(text.utf8(tape[index].range))
            members &+= 1
            if tape[index].flags.contains(.isEscaped) { hasEscapes = true }
            // The marks of an escaped name say nothing about its decoded text.
            if isMarked || hasEscapes {
                // Comparisons would take quadratic time. An index finds repeated names, too, and later searches use it.
                if members > 64 { return makeIndex(of: object) }
                isUnique = !isNameBefore(index, in: object)
            }
            index = Int(tape[index &+ 1].next)
        }
        tape[object].flags.insert(isUnique ? .isChecked : [.isChecked, .hasDuplicates])
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
            guard var name = try? text.string(left.content) else { return false }
            return name.withUTF8 { unsafe matches(right, $0) }
        }
        return unsafe matches(right, text.utf8(left.range))
    }

    /// Indexes an object's names. No key equals a name that escapes half of a surrogate pair.
    @inline(never)
    private func makeIndex(of object: Int) {
        var index = NameIndex(members: childCount(of: object))
        var hasDuplicates = false
        unsafe forEachName(in: object) { name, bytes in
            let wasThere = unsafe index.insert(name, hash: hash(bytes)) { unsafe matches(entry($0), bytes) }
            if wasThere { hasDuplicates = true }
        }
        rare.indexes[object] = index
        tape[object].flags.formUnion(
            hasDuplicates ? [.isChecked, .isIndexed, .hasDuplicates] : [.isChecked, .isIndexed])
    }

    /// Calls a function with each name that is a `String`: its entry, and its bytes without escapes.
    private func forEachName(in object: Int, _ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
        var index = object + 1
        while index < entry(object).next {
            let name = entry(index)
            if !name.flags.contains(.isEscaped) {
                unsafe body(index, text.utf8(name.range))
            } else if let unescaped = try? text.string(name.content) {
                unsafe unescaped.withContiguousUTF8 { unsafe body(index, $0) }
            }
            index = Int(entry(index + 1).next)
        }
    }

    /// A randomly seeded hash, so that the author of a text cannot make the names of an object collide.
    private func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: UnsafeRawBufferPointer(name))
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// Returns the offset of the first repeated name in any object of the text, or `nil` if no name is repeated.
    func firstDuplicateName() -> Int? {
        for object in 0..<tape.count where entry(object).kind == .object {
            check(object)
            guard entry(object).flags.contains(.hasDuplicates) else { continue }
            var seen: Set<NameBytes> = []
            var second: Int?
            unsafe forEachName(in: object) { name, bytes in
                let isNew = unsafe seen.insert(NameBytes(text: String(decoding: bytes, as: UTF8.self))).inserted
                if !isNew, second == nil { second = Int(entry(name).offset) - 1 }
            }
            if let second { return second }
        }
        return nil
    }
}

extension JSONDocument {
    /// The values of an object's members by their converted names. They are computed at the first call.
    func convertedNames(of object: Int) -> [NameBytes: Int] {
        if let names = rare.converted[object] { return names }
        var names: [NameBytes: Int] = [:]
        lazy var around = path(to: object)
        unsafe forEachName(in: object) { name, _ in names[NameBytes(text: convertedName(name, at: around))] = name + 1 }
        rare.converted[object] = names
        return names
    }

    /// Returns a member's name, converted by the key strategy. `path` is the path of the object. If the name is not a
    /// `String`, it contains replacement characters.
    func convertedName(_ name: Int, at path: @autoclosure () -> [any CodingKey]) -> String {
        let content = entry(name).content
        let name = (try? text.string(content)) ?? text.text(content.range)
        switch options.values.keyDecodingStrategy {
        case .useDefaultKeys: return name
        case .convertFromSnakeCase: return SnakeCase.camelCase(name)
        case .custom(let convert): return convert(path() + [AnyCodingKey(stringValue: name)]).stringValue
        }
    }
}
