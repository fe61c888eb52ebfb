// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONDocument {
    /// Objects are searched name by name up to this many steps before they get an index.
    private static var searchLimit: Int { 48 }

    /// The entry of a member's value; nil when the object has no such member. Of members with one name the last counts.
    ///
    /// Types ask for their members mostly in the order in which they were written: so the search begins after the last
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

    /// Searches an object that has an index, or names that come twice.
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
    /// Finds out whether an object has a name twice, before the first search in it. Different names have different
    /// marks mostly; where a name's marks were set before, the names before are compared.
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
            // What a name with escapes stands for its mark does not tell.
            if isMarked || hasEscapes {
                // Comparing would take time by the square: an index tells too, and serves the searches.
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

    /// Indexes an object's names. A name that escapes half of a surrogate pair is no `String`, so nobody can ask for it.
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

    /// Calls a function with each name that is a `String`: its entry and its bytes, without escapes.
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

    /// A hash which nobody who writes texts can foresee, so that nobody can make all names of an object collide.
    private func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: UnsafeRawBufferPointer(name))
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// Whether any object of the text has a name twice: the place of the second.
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
    /// The values of an object's members by their converted names, made at the first call.
    func convertedNames(of object: Int) -> [NameBytes: Int] {
        if let names = rare.converted[object] { return names }
        var names: [NameBytes: Int] = [:]
        lazy var around = path(to: object)
        unsafe forEachName(in: object) { name, _ in names[NameBytes(text: convertedName(name, at: around))] = name + 1 }
        rare.converted[object] = names
        return names
    }

    /// The name of a member of the object with a path, as the key strategy has it; replacement characters stand for what no
    /// `String` can hold.
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
