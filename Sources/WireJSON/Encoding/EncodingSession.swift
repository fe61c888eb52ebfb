// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// One run of an encoder: the text, and which of its containers are still open.
///
/// Values are written where they belong as they come. `Encodable` also allows to write to several containers in turn;
/// then the outer one's next member closes the inner ones, and what comes for those later is moved into its place.
final class EncodingSession: @unchecked Sendable {  // `take` hands a session to one caller, who gives it back.
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
    }

    /// Accesses never overlap: each ends before user code runs.
    let state: UnsafeMutablePointer<EncodingState>
    @exclusivity(unchecked) private(set) var options: WireJSONEncoder.Options
    @exclusivity(unchecked) private var steps = Stack<Step>()
    @exclusivity(unchecked) var boxes = ContainerBoxes<KeyedOutputPlace>()
    let types = KnownTypes<any JSONEncodableCollection.Type>()
    @exclusivity(unchecked) private var serial: UInt32 = 0
    /// The first misuse of a container that could not throw.
    @exclusivity(unchecked) private(set) var failure: EncodingError?
    /// Whether there is one: quicker to ask.
    @exclusivity(unchecked) private(set) var hasFailed = false

    private init(options: WireJSONEncoder.Options) {
        self.options = options
        state = .allocate(capacity: 1)
        state.initialize(to: EncodingState(options))
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    @inline(__always)
    var output: OutputBuffer {
        _read { yield state.pointee.output }
        _modify { yield &state.pointee.output }
    }
    @inline(__always)
    var records: Stack<Record> {
        _read { yield state.pointee.records }
        _modify { yield &state.pointee.records }
    }
    @inline(__always)
    var open: Stack<UInt32> {
        _read { yield state.pointee.open }
        _modify { yield &state.pointee.open }
    }
    @inline(__always)
    var names: [UInt32: Set<NameBytes>] {
        _read { yield state.pointee.names }
        _modify { yield &state.pointee.names }
    }
    @inline(__always)
    var escapesSlashes: Bool { state.pointee.escapesSlashes }
    @inline(__always)
    var convertsKeys: Bool { state.pointee.convertsKeys }

    // MARK: Reuse

    /// Sessions that are not in use, with the memory they have grown and the boxes they have made.
    private static let spares = SpareShelf<EncodingSession>()
    /// Sessions whose keyed containers somebody has kept: they live until those are gone.
    private static let kept = Mutex<[EncodingSession]>([])

    /// A session for one run.
    static func take(_ options: WireJSONEncoder.Options) -> EncodingSession {
        guard let spare = spares.take() else { return make(options) }
        if spare.options !== options {
            spare.options = options
            spare.state.pointee.escapesSlashes = options.escapesSlashes
            spare.state.pointee.convertsKeys = options.convertsKeys
        }
        return spare
    }

    @inline(never)
    private static func make(_ options: WireJSONEncoder.Options) -> EncodingSession {
        kept.withLock { $0.removeAll { $0.boxes.areIdle() } }
        return EncodingSession(options: options)
    }

    /// Ends a run. A session which a value has kept a container of is not used again, nor one that has grown large.
    static func end(_ session: consuming EncodingSession) {
        let hasIdleBoxes = session.boxes.areIdle()
        guard hasIdleBoxes, isKnownUniquelyReferenced(&session) else {
            session.boxes.retire()
            if !hasIdleBoxes { keep(session) }
            return
        }
        if session.output.capacity > 1 << 16 { session.output = OutputBuffer(capacity: 512) }
        session.output.truncate(to: 0)
        if session.records.count > 0 { session.dropRecords(to: 0) }
        session.open.removeAll(above: 0)
        if session.hasFailed {
            session.failure = nil
            session.hasFailed = false
        }
        spares.put(session)
    }

    private static func keep(_ session: EncodingSession) {
        kept.withLock { $0.append(session) }
    }

    // MARK: Values

    func newValue(_ step: Step, in parent: UInt32, state: Record.State = .empty, at position: Int) -> Handle {
        serial &+= 1
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
        if open.count == depth &+ 1, open[depth] == handle.slot, records.count == slots &+ 1, !state.pointee.hasNames {
            // The value is one open container, as most are.
            output.append(records[slots].state == .object ? UInt8(ascii: "}") : UInt8(ascii: "]"))
            state.pointee.open.removeLast()
            state.pointee.records.removeLast()
            steps.removeLast()
            return
        }
        close(to: depth)
        if open.count < depth { misuse(handle, "An outer container was written to while a value was encoded.") }
        if records[slots].state == .empty {
            if slots == 0 {
                let value = value()
                throw EncodingError.invalidValue(
                    value, .init(codingPath: [], debugDescription: "\(type(of: value)) did not encode anything."))
            }
            output.append("{}")
        }
        dropRecords(to: slots)
    }

    private func dropRecords(to count: Int) {
        records.removeAll(above: count)
        steps.removeAll(above: count)
        if state.pointee.hasNames { names = names.filter { $0.key < count } }
    }

    @inline(__always)
    func isCurrent(_ handle: Handle) -> Bool {
        Int(handle.slot) < records.count && records[Int(handle.slot)].serial == handle.serial
    }

    @inline(never)
    func misuse(_ handle: Handle, _ problem: String) {
        misuse(at: path(of: handle), problem)
    }

    func misuse(at path: [any CodingKey], _ problem: String) {
        guard !hasFailed else { return }
        hasFailed = true
        failure = .invalidValue(problem, .init(codingPath: path, debugDescription: problem))
    }

    func path(of handle: Handle) -> [any CodingKey] {
        isCurrent(handle) ? path(ofSlot: handle.slot) : []
    }

    func path(ofSlot slot: UInt32) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var slot = Int(slot)
        while slot < records.count {
            switch steps[slot] {
            case .none: break
            case .key(let key): path.append(key)
            case .index(let index): path.append(AnyCodingKey(index: index))
            }
            if slot == 0 { break }
            slot = Int(records[slot].parent)
        }
        return path.reversed()
    }

    func elementCount(of handle: Handle) -> Int {
        isCurrent(handle) ? records[Int(handle.slot)].elements : 0
    }

    @inline(__always)
    func countElement(of handle: Handle) {
        if isCurrent(handle) { records[Int(handle.slot)].elements += 1 }
    }

    // MARK: Containers

    /// Makes a value a container; the second time it gives the same container again.
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

    /// Ends a container whose last member was written.
    func end(_ handle: Handle) {
        if let level = level(of: handle.slot) { close(to: level) }
        dropRecords(to: Int(handle.slot))
    }

    /// Where among the open containers one is.
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

    /// Writes a member or an element: at the end of the text when its container is open, else there and then moved.
    ///
    /// - Parameter isMarked: whether the name is known to be new, and noted.
    @inline(__always)
    func write(to handle: Handle, name: String?, isMarked: Bool = false, _ body: () throws -> Void) throws {
        let top = Int(handle.slot)
        guard open.count > 0, open[open.count &- 1] == handle.slot, records[top].serial == handle.serial else {
            return try writeOutOfTurn(to: handle, name: name, isMarked, body)
        }
        let start = writeName(name, in: top, isMarked)
        do {
            try body()
        } catch {
            output.truncate(to: start)
            throw error
        }
    }

    @inline(never)
    private func writeOutOfTurn(to handle: Handle, name: String?, _ isMarked: Bool, _ body: () throws -> Void) throws {
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
        do {
            try body()
        } catch {
            output.truncate(to: start)
            throw error
        }
        close(to: depth)
        moveTail(from: start, to: records[slot].position, newSlots: slots)
    }

    /// Writes the comma and the name at the end of the text, and returns where they begin.
    @inline(__always)
    private func writeName(_ name: String?, in slot: Int, _ isMarked: Bool) -> Int {
        if let name {
            return name.withContiguousUTF8 { name in
                if !isMarked, !mark(name, in: slot) { removeMember(name, of: slot) }
                let start = output.count
                let end = records[slot].isOpen ? start : records[slot].position
                let isFirst = output.byte(before: end) == UInt8(ascii: "{")
                output.append(name: name, afterComma: !isFirst, escapesSlashes: escapesSlashes)
                return start
            }
        }
        let start = output.count
        let end = records[slot].isOpen ? start : records[slot].position
        if output.byte(before: end) != UInt8(ascii: "[") { output.append(UInt8(ascii: ",")) }
        return start
    }

    /// Writes a value that is given as one scalar.
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

    /// Writes a member or element that a `super` encoder or a nested container will fill. A container for a name that
    /// the object has goes on with that member; a `super` encoder replaces it.
    func writeNested(
        in handle: Handle, name: String?, step: Step, state: Record.State
    ) throws -> Handle {
        var isMarked = false
        if let name, state != .placeholder, isCurrent(handle), records[Int(handle.slot)].state == .object {
            isMarked = name.withContiguousUTF8 { mark($0, in: Int(handle.slot)) }
            if !isMarked, let member = continueMember(name, of: handle, step, as: state) { return member }
            isMarked = true
        }
        var nested = handle
        try write(to: handle, name: name, isMarked: isMarked) {
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

    // MARK: Moving text

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
                records[slot].serial = 0  // A value that was replaced takes nothing more.
            }
            if records[slot].position >= range.upperBound { records[slot].position -= range.count }
        }
    }

    // MARK: Names that come twice

    /// Notes a name in an object; false when it may be there already.
    @inline(__always)
    func mark(_ name: UnsafeBufferPointer<UInt8>, in slot: Int) -> Bool {
        if state.pointee.hasNames, names[UInt32(truncatingIfNeeded: slot)] != nil { return noteName(name, in: slot) }
        guard let base = name.baseAddress else { return false }
        return !records[slot].marks.insert(base, count: name.count)
    }

    /// Notes a name in an object all of whose names are known.
    private func noteName(_ name: UnsafeBufferPointer<UInt8>, in slot: Int) -> Bool {
        let name = NameBytes(text: String(decoding: name, as: UTF8.self))
        return names[UInt32(truncatingIfNeeded: slot), default: []].insert(name).inserted
    }
}
