// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The state of one run of an encoder. It has its own memory, so that a keyed container can write a member without
/// counting a reference to the session.
struct EncodingState: ~Copyable {
    var output = OutputBuffer(capacity: 512)
    private(set) var options: WireJSONEncoder.Options
    // Every member reads these two options.
    private(set) var escapesSlashes: Bool
    private(set) var convertsKeys: Bool
    /// Whether ``JSONWritable`` types are written directly. The first failure ends this. Writing is not retried.
    var writesDirectly: Bool
    /// The number of paths that were found by a scan of the text.
    var writtenPaths = 0
    var steps = Stack<EncodingSession.Step>()
    var records = Stack<EncodingSession.Record>()
    /// The slots of the open containers, the innermost one last.
    var open = Stack<UInt32>()
    /// All names of the open objects whose marks are not conclusive, by slot.
    var names: [UInt32: Set<NameBytes>] = [:] {
        didSet { hasNames = !names.isEmpty }
    }
    private(set) var hasNames = false
    /// The serial number of the last value.
    var serial: UInt32 = 0
    /// The first invalid use of a container in a function that cannot throw.
    private(set) var failure: EncodingError?
    /// Whether there is a failure. It is faster to read than `failure`.
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
    /// It returns false and writes nothing if the object is not the innermost open container, if it may already have
    /// the name, or if keys are converted.
    @inline(__always)
    mutating func beginMember(_ name: String, of handle: EncodingSession.Handle) -> Bool {
        let slot = Int(handle.slot)
        guard open.count > 0, open[open.count &- 1] == handle.slot, records[slot].serial == handle.serial,
            !convertsKeys, !hasNames
        else { return false }
        return unsafe name.withContiguousUTF8 { name in
            if unsafe records[slot].marks.insert(name) { return false }
            let isFirst = output.byte(before: output.count) == UInt8(ascii: "{")
            unsafe output.append(name: name, afterComma: !isFirst, escapesSlashes: escapesSlashes)
            return true
        }
    }
}
