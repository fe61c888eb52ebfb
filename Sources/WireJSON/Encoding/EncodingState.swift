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
            guard let base = name.baseAddress,
                let end = output.prepare(
                    name: base, name.count, afterComma: output.byte(before: output.count) != UInt8(ascii: "{"),
                    escapesSlashes: escapesSlashes),
                !records[slot].marks.insert(base, count: name.count)
            else { return false }
            output.takePrepared(end)
            return true
        }
    }
}
