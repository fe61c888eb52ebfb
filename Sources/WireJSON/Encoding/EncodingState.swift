// swift-jsonrpc · SPDX-License-Identifier: MIT

/// What is written in one run of an encoder, at an address of its own: a keyed container writes a member without
/// counting a reference to the session, which holds this.
struct EncodingState: ~Copyable {
    var output = OutputBuffer(capacity: 512)
    // Of the options, those which every member asks for.
    var escapesSlashes: Bool
    var convertsKeys: Bool
    var records = Stack<EncodingSession.Record>()
    /// The slots of the open containers, the innermost last.
    var open = Stack<UInt32>()
    /// All names of those open objects for which the marks do not tell enough, by slot.
    var names: [UInt32: Set<NameBytes>] = [:] {
        didSet { hasNames = !names.isEmpty }
    }
    private(set) var hasNames = false

    init(_ options: WireJSONEncoder.Options) {
        escapesSlashes = options.escapesSlashes
        convertsKeys = options.convertsKeys
    }

    /// Begins a member of an object, up to its value. False, and nothing is written, when more has to be looked at: when
    /// the object is not the innermost open container, when it may have the name already, or when keys are converted.
    @inline(__always)
    mutating func beginMember(_ name: String, of handle: EncodingSession.Handle) -> Bool {
        let slot = Int(handle.slot)
        guard open.count > 0, open[open.count &- 1] == handle.slot, records[slot].serial == handle.serial,
            !convertsKeys, !hasNames
        else { return false }
        return name.withContiguousUTF8 { name in
            guard mark(name, in: slot) else { return false }
            append(name: name, to: slot)
            return true
        }
    }

    /// Writes a member's name at the end of the text, after a comma where one is needed.
    @inline(__always)
    mutating func append(name: UnsafeBufferPointer<UInt8>, to slot: Int) {
        let end = records[slot].isOpen ? output.count : records[slot].position
        let isFirst = output.byte(before: end) == UInt8(ascii: "{")
        output.append(name: name, afterComma: !isFirst, escapesSlashes: escapesSlashes)
    }

    /// Notes a name in an object; false when it may be there already.
    @inline(__always)
    func mark(_ name: UnsafeBufferPointer<UInt8>, in slot: Int) -> Bool {
        let length = name.count
        var hash = UInt64(length)
        if length > 0 {
            hash = hash &* 31 &+ UInt64(name[0])
            hash = hash &* 31 &+ UInt64(name[length &- 1])
            hash = hash &* 31 &+ UInt64(name[length &>> 1])
            hash = hash &* 31 &+ UInt64(name[length &>> 2])
        }
        let mark = (hash &* 0x9E37_79B9_7F4A_7C15) &>> 57
        let bit = UInt64(1) &<< (mark & 63)
        if mark < 64 {
            if records[slot].marks.0 & bit != 0 { return false }
            records[slot].marks.0 |= bit
        } else {
            if records[slot].marks.1 & bit != 0 { return false }
            records[slot].marks.1 |= bit
        }
        return true
    }
}
