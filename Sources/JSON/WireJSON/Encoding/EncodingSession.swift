// swift-jsonrpc · SPDX-License-Identifier: MIT

/// One run of an encoder: the text, and which of its containers are still open.
///
/// Values are written where they belong as they come. `Encodable` also allows to write to several containers in turn;
/// then the outer one's next member closes the inner ones, and what comes for those later is moved into its place.
@safe final class EncodingSession: @unchecked Sendable {  // `take` hands a session to one caller, who gives it back.
    /// Names a value that is being encoded. The serial number tells a value from an earlier one in the same slot.
    struct Handle {
        var slot: UInt32
        var serial: UInt32
    }

    /// What is known of one value.
    struct Record {
        enum State {
            /// Nothing is written; the value goes to `position`, the end of the text.
            case empty
            /// `{}` is written in place of the value, whose closing bracket is at `position`.
            case placeholder
            case scalar, array, object
        }

        var serial: UInt32
        var state: State
        var isOpen = false
        /// Where the text of the value begins.
        var start: Int
        /// Of a closed container: where its closing bracket is.
        var position: Int
        /// Marks of an object's names: a name whose mark is missing is not there yet.
        var marks = NameMarks()
        /// How often the object was searched for a name that was not there.
        var vainSearches: UInt8 = 0
        /// How many elements an array has.
        var elements = 0
        var parent: UInt32
    }

    /// One step of a coding path.
    enum Step {
        case none
        case key(any CodingKey)
        case index(Int)
        /// All steps from the parent to the value, which were written directly: from where on, and up to where.
        case written(from: Int, to: Int)
    }

    /// The session's own memory, from its initialiser to its end. Accesses never overlap: each ends before user code runs.
    let state: UnsafeMutablePointer<EncodingState>
    let types = KnownTypes<any JSONEncodableCollection.Type>()

    private init(options: WireJSONEncoder.Options) {
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: EncodingState(options))
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    @inline(__always)
    var output: OutputBuffer {
        _read { yield unsafe state.pointee.output }
        _modify { yield unsafe &state.pointee.output }
    }
    @inline(__always)
    var records: Stack<Record> {
        _read { yield unsafe state.pointee.records }
        _modify { yield unsafe &state.pointee.records }
    }
    @inline(__always)
    var open: Stack<UInt32> {
        _read { yield unsafe state.pointee.open }
        _modify { yield unsafe &state.pointee.open }
    }
    @inline(__always)
    private var steps: Stack<Step> {
        _read { yield unsafe state.pointee.steps }
        _modify { yield unsafe &state.pointee.steps }
    }
    @inline(__always)
    var boxes: ContainerBoxes<KeyedOutputPlace> {
        _read { yield unsafe state.pointee.boxes }
        _modify { yield unsafe &state.pointee.boxes }
    }
    @inline(__always)
    var names: [UInt32: Set<NameBytes>] {
        _read { yield unsafe state.pointee.names }
        _modify { yield unsafe &state.pointee.names }
    }
    @inline(__always)
    var escapesSlashes: Bool { unsafe state.pointee.escapesSlashes }
    @inline(__always)
    var convertsKeys: Bool { unsafe state.pointee.convertsKeys }
    @inline(__always)
    var hasNames: Bool { unsafe state.pointee.hasNames }
    var options: WireJSONEncoder.Options { unsafe state.pointee.options }
    /// The first misuse of a container that could not throw.
    var failure: EncodingError? { unsafe state.pointee.failure }
    @inline(__always)
    var hasFailed: Bool { unsafe state.pointee.hasFailed }

    // MARK: Reuse

    /// Sessions that are not in use, with the memory they have grown and the boxes they have made. Those whose keyed containers
    /// somebody has kept are retired, and live until the containers are gone.
    private static let pool = ObjectPool<EncodingSession>()

    static func take(_ options: WireJSONEncoder.Options) -> EncodingSession {
        guard let spare = pool.take() else { return make(options) }
        unsafe spare.state.pointee.set(options)
        return spare
    }

    @inline(never)
    private static func make(_ options: WireJSONEncoder.Options) -> EncodingSession {
        pool.release { $0.boxes.areIdle() }
        return EncodingSession(options: options)
    }

    /// Ends a run. A session which a value has kept a container of is not used again, nor one that has grown large.
    static func end(_ session: consuming EncodingSession) {
        let hasIdleBoxes = session.boxes.areIdle()
        guard hasIdleBoxes, isKnownUniquelyReferenced(&session) else {
            session.boxes.retire()
            if !hasIdleBoxes { pool.retire(session) }
            return
        }
        if session.output.capacity > 1 << 16 { session.output = OutputBuffer(capacity: 512) }
        session.output.truncate(to: 0)
        if session.records.count > 0 { session.dropRecords(to: 0) }
        session.open.removeAll(above: 0)
        if session.hasFailed { unsafe session.state.pointee.fail(nil) }
        pool.put(session)
    }

    // MARK: Values

    func newValue(_ step: Step, in parent: UInt32, state: Record.State = .empty, at position: Int) -> Handle {
        unsafe self.state.pointee.serial &+= 1
        let serial = unsafe self.state.pointee.serial
        let handle = Handle(slot: UInt32(truncatingIfNeeded: records.count), serial: serial)
        records.append(Record(serial: serial, state: state, start: position, position: position, parent: parent))
        steps.append(step)
        return handle
    }

    /// Encodes a value of a type that encodes itself, at the end of the text.
    func encode<T: Encodable>(_ value: T, step: Step, parent: UInt32) throws {
        try encode(value, step, in: parent) { try value.encode(to: ValueEncoder(session: self, handle: $0)) }
    }

    /// Lets a function encode a value at the end of the text.
    @inline(__always)
    func encode(
        _ value: @autoclosure () -> Any, _ step: Step, in parent: UInt32, _ body: (Handle) throws -> Void
    ) throws {
        let (start, slots, depth) = (output.count, records.count, open.count)
        let handle = newValue(step, in: parent, at: start)
        do {
            try body(handle)
        } catch {
            // A caller may go on after an error: nothing of this value may stay.
            for level in (depth..<max(depth, open.count)).reversed() { records[Int(open[level])].isOpen = false }
            open.removeAll(above: depth)
            dropRecords(to: slots)
            output.truncate(to: start)
            throw error
        }
        if open.count == depth &+ 1, open[depth] == handle.slot, records.count == slots &+ 1, !hasNames {
            // The value is one open container, as most are.
            output.append(records[slots].state == .object ? UInt8(ascii: "}") : UInt8(ascii: "]"))
            open.removeLast()
            records.removeLast()
            steps.removeLast()
            return
        }
        close(to: depth)
        if open.count < depth || isCutOff(slots) {
            misuse(handle, "An outer container was written to while a value was encoded.")
        }
        if records[slots].state == .empty {
            if records[slots].start != output.count {
                misuse(handle, "An outer container was written to while a value was encoded.")
            }
            if slots == 0 {
                let value = value()
                throw EncodingError.invalidValue(
                    value, .init(codingPath: [], debugDescription: "\(type(of: value)) did not encode anything."))
            }
            output.append("{}")
        }
        dropRecords(to: slots)
    }

    /// Whether text follows the container of a value that lies within a directly written one. The text was meant for a container
    /// around the directly written value, which is not among the open ones, and would lie in it.
    private func isCutOff(_ slot: Int) -> Bool {
        guard case .written = steps[slot], records[slot].state == .object || records[slot].state == .array else {
            return false
        }
        return records[slot].position != output.count &- 1
    }

    func dropRecords(to count: Int) {
        records.removeAll(above: count)
        steps.removeAll(above: count)
        if hasNames { names = names.filter { $0.key < count } }
    }

    @inline(__always)
    func isCurrent(_ handle: Handle) -> Bool {
        Int(handle.slot) < records.count && records[Int(handle.slot)].serial == handle.serial
    }

    @inline(never)
    func misuse(_ handle: Handle, _ problem: String) { misuse(at: path(of: handle), problem) }

    func misuse(at path: [any CodingKey], _ problem: String) {
        guard !hasFailed else { return }
        unsafe state.pointee.fail(.invalidValue(problem, .init(codingPath: path, debugDescription: problem)))
    }

    func path(of handle: Handle) -> [any CodingKey] { isCurrent(handle) ? path(ofSlot: handle.slot) : [] }

    func path(ofSlot slot: UInt32) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var slot = Int(slot)
        while slot < records.count {
            path += keys(of: steps[slot]).reversed()
            if slot == 0 { break }
            slot = Int(records[slot].parent)
        }
        return path.reversed()
    }

    func keys(of step: Step) -> [any CodingKey] {
        switch step {
        case .none: []
        case .key(let key): [key]
        case .index(let index): [AnyCodingKey(index: index)]
        case .written(let start, let end): writtenPath(from: start, to: end)
        }
    }

    func elementCount(of handle: Handle) -> Int { isCurrent(handle) ? records[Int(handle.slot)].elements : 0 }

    @inline(__always)
    func countElement(of handle: Handle) {
        if isCurrent(handle) { records[Int(handle.slot)].elements += 1 }
    }
}
