// swift-jsonrpc · SPDX-License-Identifier: MIT

/// One run of an encoder: the text, and the containers that are still open.
///
/// Values are appended as they are encoded. `Encodable` also allows writing to several containers in turn. Then the
/// next member of an outer container closes the inner ones, and later content of these is moved into its place.
@safe final class EncodingSession: @unchecked Sendable {  // `take` gives a session to one caller, which returns it.
    /// Identifies a value that is being encoded. The serial number differs from those of earlier values in the slot.
    struct Handle {
        var slot: UInt32
        var serial: UInt32
    }

    struct Record {
        enum State {
            /// Nothing is written yet. The value will begin at `position`, the end of the text.
            case empty
            /// `{}` stands in place of the value. Its closing bracket is at `position`.
            case placeholder
            case scalar, array, object
        }

        var serial: UInt32
        var state: State
        var isOpen = false
        /// The offset at which the text of the value begins.
        var start: Int
        /// The offset of the closing bracket, if this is a closed container.
        var position: Int
        /// Marks of an object's names. The object does not have a name whose mark is missing.
        var marks = NameMarks()
        /// The number of searches of the object that did not find the name.
        var vainSearches: UInt8 = 0
        var elements = 0
        var parent: UInt32
    }

    /// One step of a coding path.
    enum Step {
        case none
        case key(any CodingKey)
        case index(Int)
        /// All steps from the parent to a directly written value, as the offsets of both in the text.
        case written(from: Int, to: Int)
    }

    /// Memory that the session owns. Accesses never overlap: each ends before user code runs.
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
    /// The first invalid use of a container in a function that cannot throw.
    var failure: EncodingError? { unsafe state.pointee.failure }
    @inline(__always)
    var hasFailed: Bool { unsafe state.pointee.hasFailed }

    // MARK: Reuse

    /// Unused sessions, with their grown memory and their boxes. A session is retired if a value has kept one of its
    /// keyed containers. It then lives until the containers are gone.
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

    /// Ends a run. The session is not reused if a value has kept one of its containers. A large output buffer is freed.
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

    /// Encodes a value through its `encode(to:)`, at the end of the text.
    func encode<T: Encodable>(_ value: T, step: Step, parent: UInt32) throws {
        try encode(value, step, in: parent) { try value.encode(to: ValueEncoder(session: self, handle: $0)) }
    }

    /// Encodes a value at the end of the text with a function.
    @inline(__always)
    func encode(
        _ value: @autoclosure () -> Any, _ step: Step, in parent: UInt32, _ body: (Handle) throws -> Void
    ) throws {
        let (start, slots, depth) = (output.count, records.count, open.count)
        let handle = newValue(step, in: parent, at: start)
        do {
            try body(handle)
        } catch {
            // A caller may continue after an error, so nothing of this value may remain.
            for level in (depth..<max(depth, open.count)).reversed() { records[Int(open[level])].isOpen = false }
            open.removeAll(above: depth)
            dropRecords(to: slots)
            output.truncate(to: start)
            throw error
        }
        if open.count == depth &+ 1, open[depth] == handle.slot, records.count == slots &+ 1, !hasNames {
            // The common case: the value is one open container.
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

    /// Whether text follows the container of a value in a directly written one. The text belongs to a container around
    /// the directly written value. That container is not open, so the text would end up inside the value.
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
