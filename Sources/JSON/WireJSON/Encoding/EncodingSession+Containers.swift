// swift-jsonrpc · SPDX-License-Identifier: MIT

extension EncodingSession {
    /// Makes a value a container. A second call for the same value continues that container.
    func begin(_ handle: Handle, isObject: Bool) {
        guard isCurrent(handle) else { return misuse(handle, "A value was written after its encoding had ended.") }
        let slot = Int(handle.slot)
        switch records[slot].state {
        case .empty where records[slot].position == output.count:
            output.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
            records[slot].state = isObject ? .object : .array
            records[slot].isOpen = true
            open.append(handle.slot)
        case .placeholder:
            if !isObject {
                output.replace(at: records[slot].position - 1, with: UInt8(ascii: "["))
                output.replace(at: records[slot].position, with: UInt8(ascii: "]"))
            }
            records[slot].state = isObject ? .object : .array
        case .object where isObject, .array where !isObject:
            break
        case .empty, .object, .array, .scalar:
            misuse(handle, "A value was encoded in two ways.")
        }
    }

    /// The position of a slot among the open containers.
    func level(of slot: UInt32) -> Int? {
        open.indices.last { open[$0] == slot }
    }

    func close(to depth: Int) {
        while open.count > depth {
            let slot = Int(open[open.count - 1])
            open.removeAll(above: open.count - 1)
            records[slot].isOpen = false
            records[slot].position = output.count
            output.append(records[slot].state == .object ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        }
    }

    /// Writes a member or an element. If its container is open, it is written at the end of the text. Otherwise it
    /// is written there and then moved.
    ///
    /// - Parameter isMarked: Whether the name is already known to be new, and is recorded.
    @inline(__always)
    func write(to handle: Handle, name: String?, isMarked: Bool = false, _ body: () throws -> Void) rethrows {
        let top = Int(handle.slot)
        guard open.count > 0, open[open.count &- 1] == handle.slot, records[top].serial == handle.serial else {
            return try writeOutOfTurn(to: handle, name: name, isMarked, body)
        }
        try write(from: writeName(name, in: top, isMarked), body)
    }

    /// Calls a function that writes, and removes the text from an offset on if it throws.
    @inline(__always)
    private func write(from start: Int, _ body: () throws -> Void) rethrows {
        do {
            try body()
        } catch {
            output.truncate(to: start)
            throw error
        }
    }

    @inline(never)
    private func writeOutOfTurn(
        to handle: Handle, name: String?, _ isMarked: Bool, _ body: () throws -> Void
    ) rethrows {
        guard isCurrent(handle) else {
            return misuse(handle, "A container was written to after its encoding had ended.")
        }
        let slot = Int(handle.slot)
        if records[slot].isOpen, let level = level(of: handle.slot) {
            close(to: level + 1)
            return try write(to: handle, name: name, isMarked: isMarked, body)
        }
        guard records[slot].state == .object || records[slot].state == .array else {
            return misuse(handle, "A value was encoded in two ways.")
        }
        let (depth, slots) = (open.count, records.count)
        let start = writeName(name, in: slot, isMarked)
        try write(from: start, body)
        close(to: depth)
        moveTail(from: start, to: records[slot].position, newSlots: slots)
    }

    /// Writes the comma and the name at the end of the text, and returns their offset.
    @inline(__always)
    private func writeName(_ name: String?, in slot: Int, _ isMarked: Bool) -> Int {
        if let name {
            return unsafe name.withContiguousUTF8 { name in
                if !isMarked, unsafe !mark(name, in: slot) { unsafe removeMember(name, of: slot) }
                let start = output.count
                let end = records[slot].isOpen ? start : records[slot].position
                let isFirst = output.byte(before: end) == UInt8(ascii: "{")
                unsafe output.append(name: name, afterComma: !isFirst, escapesSlashes: escapesSlashes)
                return start
            }
        }
        let start = output.count
        let end = records[slot].isOpen ? start : records[slot].position
        if output.byte(before: end) != UInt8(ascii: "[") { output.append(UInt8(ascii: ",")) }
        return start
    }

    func writeScalar(_ handle: Handle, _ body: () throws -> Void) throws {
        guard isCurrent(handle) else {
            return misuse(handle, "A value was written after its encoding had ended.")
        }
        let slot = Int(handle.slot)
        switch records[slot].state {
        case .empty where records[slot].position == output.count:
            try body()
            records[slot].state = .scalar
        case .placeholder:
            let (start, slots) = (output.count, records.count)
            try body()
            let position = records[slot].position + 1
            moveTail(from: start, to: position, newSlots: slots)
            remove((position - 2)..<position)
            records[slot].state = .scalar
        case .empty, .object, .array, .scalar:
            misuse(handle, "A value was encoded in two ways.")
        }
    }

    /// Writes a member or element that a `super` encoder or a nested container will fill. If the object already has the
    /// name, a nested container continues that member, and a `super` encoder replaces it.
    func nested(in handle: Handle, name: String?, step: Step, state: Record.State) -> Handle {
        var isMarked = false
        if let name, state != .placeholder, isCurrent(handle), records[Int(handle.slot)].state == .object {
            isMarked = unsafe name.withContiguousUTF8 { unsafe mark($0, in: Int(handle.slot)) }
            if !isMarked, let member = continueMember(name, of: handle, step, as: state) { return member }
            isMarked = true
        }
        var nested = handle
        write(to: handle, name: name, isMarked: isMarked) {
            nested = newValue(step, in: handle.slot, state: state, at: output.count)
            switch state {
            case .placeholder:
                output.append("{}")
                records[Int(nested.slot)].position = output.count - 1
            case .object, .array:
                records[Int(nested.slot)].state = .empty
                begin(nested, isObject: state == .object)
            case .empty, .scalar: break
            }
        }
        return nested
    }
}

/// Text is moved if a container is written to out of order. Names are recorded, so that no name is written twice.
extension EncodingSession {
    func moveTail(from start: Int, to offset: Int, newSlots: Int) {
        let length = output.count - start
        output.moveTail(from: start, to: offset)
        for slot in records.indices {
            if slot >= newSlots {
                records[slot].start -= start - offset
                records[slot].position -= start - offset
            } else {
                if records[slot].start >= offset { records[slot].start += length }
                if records[slot].position >= offset { records[slot].position += length }
            }
        }
    }

    func remove(_ range: Range<Int>) {
        output.remove(range)
        for slot in records.indices {
            if records[slot].start >= range.upperBound {
                records[slot].start -= range.count
            } else if range.contains(records[slot].start), records[slot].start > range.lowerBound {
                records[slot].serial = 0  // A value that was replaced accepts no more text.
            }
            if records[slot].position >= range.upperBound { records[slot].position -= range.count }
        }
    }

    /// Records a name in an object. It returns false if the object may already have the name.
    @inline(__always)
    func mark(_ name: UnsafeBufferPointer<UInt8>, in slot: Int) -> Bool {
        if hasNames, names[UInt32(truncatingIfNeeded: slot)] != nil { return unsafe noteName(name, in: slot) }
        return unsafe !records[slot].marks.insert(name)
    }

    /// Records a name in an object that has a set of all its names.
    private func noteName(_ name: UnsafeBufferPointer<UInt8>, in slot: Int) -> Bool {
        let name = unsafe NameBytes(text: String(decoding: name, as: UTF8.self))
        return names[UInt32(truncatingIfNeeded: slot), default: []].insert(name).inserted
    }
}
