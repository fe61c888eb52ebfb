// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The state of one run of an encoder. It has an address of its own, so that a keyed container can write a member
/// without counting a reference to the session that holds it.
struct EncodingState: ~Copyable {
    var output = OutputBuffer(capacity: 512)
    private(set) var options: WireJSONEncoder.Options
    // Each member asks for these two options.
    private(set) var escapesSlashes: Bool
    private(set) var convertsKeys: Bool
    /// Whether types that are ``JSONWritable`` are written as such. In each run this ends with the first failure, so that no
    /// value is written again and again.
    var writesDirectly: Bool
    /// How many paths were found out from the text. Each costs a scan of it.
    var writtenPaths = 0
    var steps = Stack<EncodingSession.Step>()
    var records = Stack<EncodingSession.Record>()
    /// The slots of the open containers, the innermost last.
    var open = Stack<UInt32>()
    /// All names of the open objects whose marks do not say enough, by slot.
    var names: [UInt32: Set<NameBytes>] = [:] {
        didSet { hasNames = !names.isEmpty }
    }
    private(set) var hasNames = false
    /// The serial number of the last value.
    var serial: UInt32 = 0
    /// The first misuse of a container that could not throw.
    private(set) var failure: EncodingError?
    /// Whether there is a failure. This is faster than to look at it.
    private(set) var hasFailed = false
    var boxes = ContainerBoxes<KeyedOutputPlace>()

    init(_ options: WireJSONEncoder.Options) {
        self.options = options
        escapesSlashes = options.values.escapesSlashes
        convertsKeys = options.values.convertsKeys
        writesDirectly = !convertsKeys
    }

    mutating func set(_ options: WireJSONEncoder.Options) {
        writtenPaths = 0
        if options !== self.options {
            self.options = options
            escapesSlashes = options.values.escapesSlashes
            convertsKeys = options.values.convertsKeys
        }
        writesDirectly = !convertsKeys
    }

    mutating func fail(_ error: EncodingError?) {
        failure = error
        hasFailed = error != nil
    }

    /// Begins a member of an object, up to its value.
    ///
    /// It returns false and writes nothing if the object is not the innermost open container, if it may have the name
    /// already, or if keys are converted.
    @inline(__always)
    mutating func beginMember(_ name: String, of handle: EncodingSession.Handle) -> Bool {
        let slot = Int(handle.slot)
        guard open.count > 0, open[open.count &- 1] == handle.slot, records[slot].serial == handle.serial,
            !convertsKeys, !hasNames
        else { return false }
        return unsafe name.withContiguousUTF8 { name in
            guard let base = name.baseAddress,
                let end = unsafe output.prepare(
                    name: base, name.count, afterComma: output.byte(before: output.count) != UInt8(ascii: "{"),
                    escapesSlashes: escapesSlashes),
                unsafe !records[slot].marks.insert(name)
            else { return false }
            output.takePrepared(end)
            return true
        }
    }
}
