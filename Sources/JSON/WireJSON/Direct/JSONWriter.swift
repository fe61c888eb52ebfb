// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes one value as JSON, byte by byte, for types that are ``JSONWritable``.
///
/// If JSON cannot represent a value, a writer throws ``JSONFallback``, and `Codable` encodes the value.
@safe public struct JSONWriter: ~Copyable {
    // The session outlives the writer, which never outlives the call that it was made for.
    private let session: Unmanaged<EncodingSession>
    private let state: UnsafeMutablePointer<EncodingState>
    private let escapesSlashes: Bool
    /// The record of the first value, or of the value that contains it, and the offset at which the first value begins.
    private let slot: UInt32
    private let start: Int

    init(_ session: EncodingSession, slot: UInt32) {
        // The caller keeps the session alive.
        unsafe self.session = Unmanaged.passUnretained(session)
        unsafe state = session.state
        escapesSlashes = session.escapesSlashes
        self.slot = slot
        start = session.output.count
    }

    @inline(__always)
    private var output: OutputBuffer {
        _read { yield unsafe state.pointee.output }
        nonmutating _modify { yield unsafe &state.pointee.output }
    }

    var options: WireJSONEncoder.Options { unsafe state.pointee.options }

    // MARK: Objects

    /// Begins an object.
    public mutating func beginObject() { output.append(UInt8(ascii: "{")) }

    /// Begins a member: the comma, the name and the colon. No name may be repeated.
    public mutating func member(_ names: JSONMemberNames, _ index: Int) {
        let name = names[index]
        if name.needsEscapes {
            writeEscaped(name)
        } else {
            unsafe output.append(quotedName: name.bytes, name.length)
        }
    }

    @inline(never)
    private func writeEscaped(_ name: JSONMemberNames.Entry) {
        let isFirst = output.byte(before: output.count) == UInt8(ascii: "{")
        let content = unsafe UnsafeBufferPointer(start: name.bytes + 1, count: name.length - 3)
        unsafe output.append(name: content, afterComma: !isFirst, escapesSlashes: escapesSlashes)
    }

    /// Begins a member: the comma, the name and the colon. No name may be repeated.
    public mutating func member(_ name: String) {
        let isFirst = output.byte(before: output.count) == UInt8(ascii: "{")
        unsafe name.withContiguousUTF8 {
            unsafe output.append(name: $0, afterComma: !isFirst, escapesSlashes: escapesSlashes)
        }
    }

    /// Writes a member with the name at `index`. No name may be repeated.
    @inlinable @inline(__always)
    public mutating func write<T: JSONWritable>(
        _ value: T, _ names: JSONMemberNames, _ index: Int
    ) throws(JSONFallback) {
        member(names, index)
        try value.write(to: &self)
    }

    /// Writes a member, unless the value is `nil`.
    @inlinable @inline(__always)
    public mutating func write<T: JSONWritable>(
        _ value: T?, _ names: JSONMemberNames, _ index: Int
    ) throws(JSONFallback) {
        guard let value else { return }
        member(names, index)
        try value.write(to: &self)
    }

    /// Writes a member through the `encode(to:)` of its value.
    @_disfavoredOverload
    public mutating func write<T: Encodable>(_ value: T, _ names: JSONMemberNames, _ index: Int) throws(JSONFallback) {
        member(names, index)
        try encode(value)
    }

    /// Writes a member through the `encode(to:)` of its value, unless the value is `nil`.
    @_disfavoredOverload
    public mutating func write<T: Encodable>(_ value: T?, _ names: JSONMemberNames, _ index: Int) throws(JSONFallback) {
        guard let value else { return }
        member(names, index)
        try encode(value)
    }

    /// Ends the object.
    public mutating func endObject() { output.append(UInt8(ascii: "}")) }

    // MARK: Arrays

    /// Begins an array.
    public mutating func beginArray() { output.append(UInt8(ascii: "[")) }

    /// Begins another element. Do not call it before the first one.
    public mutating func nextElement() { output.append(UInt8(ascii: ",")) }

    /// Ends the array.
    public mutating func endArray() { output.append(UInt8(ascii: "]")) }

    // MARK: Values

    /// Writes a value of a type that is ``JSONWritable``.
    @inlinable @inline(__always)
    public mutating func write<T: JSONWritable>(_ value: T) throws(JSONFallback) {
        try value.write(to: &self)
    }

    /// Writes a value of any other type through its `encode(to:)`.
    @_disfavoredOverload
    public mutating func write<T: Encodable>(_ value: T) throws(JSONFallback) { try encode(value) }

    /// Writes `null`.
    public mutating func writeNull() { output.append("null") }

    /// Writes one of the given texts as a string.
    public mutating func write(_ texts: JSONMemberNames, _ index: Int) {
        let text = texts[index]
        let content = unsafe UnsafeBufferPointer(start: text.bytes + 1, count: text.length - 3)
        unsafe output.append(content: content, escapesSlashes: escapesSlashes)
    }

    func write(bool value: Bool) { output.append(value) }

    @usableFromInline
    func write(magnitude: UInt64, isNegative: Bool) { output.appendDigits(magnitude, isNegative: isNegative) }

    @usableFromInline
    func write(digits: String) { output.append(digits) }

    func write(double value: Double) throws(JSONFallback) {
        guard value.isFinite else { throw JSONFallback() }
        output.append(float: value)
    }

    func write(string value: String) { output.append(string: value, escapesSlashes: escapesSlashes) }

    func write(value: JSONValue) { output.append(value.bytes(escapesSlashes: escapesSlashes)[...]) }

    func write(json: RawJSON) { output.append(json.bytes) }

    /// Writes a value through the session: known types in their own form, other types through their `encode(to:)`.
    @inline(never)
    mutating func encode<T: Encodable>(_ value: T) throws(JSONFallback) {
        let session = unsafe session.takeUnretainedValue()
        guard unsafe state.pointee.writtenPaths < EncodingSession.writtenPathLimit else { throw JSONFallback() }
        do {
            try session.append(value, step: .written(from: start, to: session.output.count), parent: slot)
        } catch {
            throw JSONFallback()
        }
    }
}

extension OutputBuffer {
    /// Writes a name with quotes and colon, after a comma if needed. Eight bytes after the name must be readable.
    @inline(__always)
    @unsafe mutating func append(quotedName name: UnsafePointer<UInt8>, _ length: Int) {
        let output = unsafe room(for: length &+ 9)
        let hasComma = byte(before: count) != UInt8(ascii: "{")
        unsafe output[0] = UInt8(ascii: ",")
        let start = unsafe hasComma ? output + 1 : output
        var index = 0
        repeat {
            unsafe SWAR.store(SWAR.load(name + index), start + index)
            index &+= 8
        } while index < length
        advance(hasComma ? length &+ 1 : length)
    }
}
