// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Repeated names in an object. They are rare, so this code may be slow.
extension EncodingSession {
    /// The position of a member in the text.
    private struct Member {
        /// From the name, or the white space before it, to the end of the value.
        var range: Range<Int>
        var value: Range<Int>
    }

    /// Removes the member with this name from an object, if there is one: the later member wins.
    @inline(never)
    func removeMember(_ name: UnsafeBufferPointer<UInt8>, of slot: Int) {
        guard let found = unsafe findMember(String(decoding: name, as: UTF8.self), of: slot)?.range else { return }
        let end = records[slot].isOpen ? output.count : records[slot].position
        if output.byte(before: found.lowerBound) == UInt8(ascii: ",") {
            remove((found.lowerBound - 1)..<found.upperBound)
        } else {
            remove(found.lowerBound..<min(found.upperBound + 1, end))
        }
    }

    private func findMember(_ written: String, of slot: Int) -> Member? {
        var all: Set<NameBytes> = [NameBytes(text: written)]
        var found: Member?
        forEachMember(of: slot) { name, member in
            if name.utf8.elementsEqual(written.utf8) { found = member }
            all.insert(NameBytes(text: name))
        }
        // A search of the object for each new name would take quadratic time.
        records[slot].vainSearches &+= found == nil ? 1 : 0
        if records[slot].vainSearches > 4 { names[UInt32(truncatingIfNeeded: slot)] = all }
        return found
    }

    /// Calls a function with the name and the position of each member.
    private func forEachMember(of slot: Int, _ body: (String, Member) -> Void) {
        scanContent(of: slot) { scanner in
            let start = scanner.position
            guard let content = try? scanner.scanMemberName() else { return false }
            let value = scanner.position
            guard (try? scanner.skipValue(depth: 0)) != nil else { return false }
            if let name = try? scanner.string(content) {
                body(name, Member(range: start..<scanner.position, value: value..<scanner.position))
            }
            return true
        }
    }

    /// Calls a function at each member or element of a container, until it returns false for unreadable text.
    private func scanContent(of slot: Int, _ read: (inout JSONScanner) -> Bool) {
        let end = records[slot].isOpen ? output.count : records[slot].position
        guard
            var scanner = unsafe JSONScanner(
                UnsafeRawBufferPointer(rebasing: output.text[..<end]), limits: JSONLimits())
        else { return }
        scanner.maximumDepth = .max
        scanner.position = records[slot].start + 1
        while !scanner.isAtEnd, read(&scanner) { _ = scanner.take(UInt8(ascii: ",")) }
    }
}

/// Nested containers for a name that the object already has.
extension EncodingSession {
    /// Returns the member with this name as a container that accepts more content. It returns `nil` if there is no such
    /// member. A member of another kind is an error, because no value could keep both.
    @inline(never)
    func continueMember(_ name: String, of handle: Handle, _ step: Step, as state: Record.State) -> Handle? {
        let parent = Int(handle.slot)
        if records[parent].isOpen, let level = level(of: handle.slot) { close(to: level + 1) }
        guard let value = findMember(name, of: parent)?.value else { return nil }
        let isObject = state == .object
        let written = records.indices.last {
            $0 > parent && records[$0].start == value.lowerBound && records[$0].parent == handle.slot
                && records[$0].serial != 0 && records[$0].state != .scalar
        }
        if let written {
            let member = Handle(slot: UInt32(truncatingIfNeeded: written), serial: records[written].serial)
            if records[written].state == .placeholder { begin(member, isObject: isObject) }
            if records[written].state == state { return reopen(member, in: handle) }
        } else if output.byte(before: value.lowerBound + 1) == (isObject ? UInt8(ascii: "{") : UInt8(ascii: "[")) {
            return reopen(adopt(value, step, in: handle, as: state), in: handle)
        }
        misuse(
            at: path(of: handle) + [AnyCodingKey(stringValue: name)],
            "The member already has a value that is not \(isObject ? "an object" : "an array").")
        return Handle(slot: .max, serial: 0)  // An invalid handle: nothing is written to it.
    }

    /// Returns a container for a value that was encoded as a whole.
    private func adopt(_ value: Range<Int>, _ step: Step, in parent: Handle, as state: Record.State) -> Handle {
        var compact: [UInt8] = []
        let text = unsafe UnsafeRawBufferPointer(rebasing: output.text[value])
        var end = value.upperBound
        // A `RawJSON` can contain white space.
        if unsafe (try? TextFormatter([]).format(text, into: &compact)) != nil, compact.count < value.count {
            remove((value.lowerBound + 1)..<value.upperBound)
            let (start, slots) = (output.count, records.count)
            output.append(compact[1...])
            moveTail(from: start, to: value.lowerBound + 1, newSlots: slots)
            end = value.lowerBound + compact.count
        }
        let handle = newValue(step, in: parent.slot, state: state, at: value.lowerBound)
        let slot = Int(handle.slot)
        records[slot].position = end - 1
        if state == .object {
            var names: [String] = []
            forEachMember(of: slot) { name, _ in names.append(name) }
            for name in names { _ = unsafe name.withContiguousUTF8 { unsafe mark($0, in: slot) } }
        } else {
            var count = 0
            scanContent(of: slot) { scanner in
                guard (try? scanner.skipValue(depth: 0)) != nil else { return false }
                count += 1
                return true
            }
            records[slot].elements = count
        }
        return handle
    }

    /// Removes the closing bracket of a container that ends the text, so that later content is appended directly.
    private func reopen(_ handle: Handle, in parent: Handle) -> Handle {
        let slot = Int(handle.slot)
        if !records[slot].isOpen, records[slot].position == output.count - 1, open.count > 0,
            open[open.count - 1] == parent.slot
        {
            output.truncate(to: output.count - 1)
            records[slot].isOpen = true
            open.append(handle.slot)
        }
        return handle
    }
}
