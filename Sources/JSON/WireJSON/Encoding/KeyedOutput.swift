// swift-jsonrpc · SPDX-License-Identifier: MIT

@safe struct KeyedOutput<Key: CodingKey>: KeyedEncodingContainerProtocol {
    /// The memory belongs to the session's boxes, or to `owner`.
    private let place: UnsafeMutablePointer<KeyedOutputPlace>
    /// It is `nil` in a box that the session keeps. Copies by the standard library then count no references.
    private let owner: PlaceOwner<KeyedOutputPlace>?

    init(_ place: UnsafeMutablePointer<KeyedOutputPlace>, owner: PlaceOwner<KeyedOutputPlace>?) {
        unsafe self.place = unsafe place
        self.owner = owner
    }

    // The session outlives the place, as `KeyedOutputPlace` explains.
    private var session: EncodingSession { unsafe place.pointee.session.takeUnretainedValue() }
    private var handle: EncodingSession.Handle { unsafe place.pointee.handle }

    var codingPath: [any CodingKey] { session.path(of: handle) }

    /// Writes a member whose value needs no session.
    @inline(__always)
    private func write(_ key: Key, _ append: (inout OutputBuffer) -> Void) throws {
        let state = unsafe place.pointee.state
        if unsafe state.pointee.beginMember(key.stringValue, of: place.pointee.handle) {
            unsafe append(&state.pointee.output)
        } else {
            try writeLater(key, append)
        }
    }

    @inline(never)
    private func writeLater(_ key: Key, _ append: (inout OutputBuffer) -> Void) throws {
        try writeValue(key) { append(&$0.output) }
    }

    @inline(__always)
    private func writeValue(_ key: Key, _ body: (EncodingSession) throws -> Void) throws {
        try unsafe place.pointee.session._withUnsafeGuaranteedRef { session in
            let handle = unsafe place.pointee.handle
            let name = session.convertsKeys ? session.convertedName(key, in: handle) : key.stringValue
            try session.write(to: handle, name: name) { try body(session) }
        }
    }

    func encodeNil(forKey key: Key) throws { try write(key) { $0.append("null") } }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let (state, handle) = unsafe (place.pointee.state, place.pointee.handle)
        let start = unsafe state.pointee.output.count
        guard unsafe state.pointee.beginMember(key.stringValue, of: handle) else { return try encodeLater(value, key) }
        do {
            try unsafe place.pointee.session._withUnsafeGuaranteedRef {
                try $0.append(value, step: .key(key), parent: handle.slot)
            }
        } catch {
            unsafe state.pointee.output.truncate(to: start)
            throw error
        }
    }

    @inline(never)
    private func encodeLater<T: Encodable>(_ value: T, _ key: Key) throws {
        let parent = handle.slot
        try writeValue(key) { try $0.append(value, step: .key(key), parent: parent) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        session.container(keyedBy: type, of: nested(key, .object))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedOutput(session: session, handle: nested(key, .array))
    }

    func superEncoder() -> any Encoder {
        ValueEncoder(session: session, handle: nested(AnyCodingKey.superKey, .placeholder))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        ValueEncoder(session: session, handle: nested(key, .placeholder))
    }

    private func nested(_ key: any CodingKey, _ state: EncodingSession.Record.State) -> EncodingSession.Handle {
        let name = session.convertsKeys ? session.convertedName(key, in: handle) : key.stringValue
        return session.nested(in: handle, name: name, step: .key(key), state: state)
    }
}

extension KeyedOutput {
    func encode(_ value: Bool, forKey key: Key) throws { try write(key) { $0.append(value) } }
    func encode(_ value: String, forKey key: Key) throws {
        let escapes = unsafe place.pointee.state.pointee.escapesSlashes
        try write(key) { $0.append(string: value, escapesSlashes: escapes) }
    }
    func encode(_ value: Double, forKey key: Key) throws {
        if value.isFinite { return try write(key) { $0.append(float: value) } }
        let parent = handle.slot
        try writeValue(key) { try $0.append(float: value, step: .key(key), parent: parent) }
    }
    func encode(_ value: Float, forKey key: Key) throws {
        if value.isFinite { return try write(key) { $0.append(float: value) } }
        let parent = handle.slot
        try writeValue(key) { try $0.append(float: value, step: .key(key), parent: parent) }
    }
    func encode(_ value: Int, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
    func encode(_ value: Int8, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
    func encode(_ value: Int16, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
    func encode(_ value: Int32, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
    func encode(_ value: Int64, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
    func encode(_ value: UInt, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
    func encode(_ value: UInt8, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
    func encode(_ value: UInt16, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
    func encode(_ value: UInt32, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
    func encode(_ value: UInt64, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
    func encode(_ value: Int128, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
    func encode(_ value: UInt128, forKey key: Key) throws { try write(key) { $0.append(integer: value) } }
}

/// Without these functions, the defaults of the standard library would call the methods above unspecialised.
extension KeyedOutput {
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { if let value { try encode(value, forKey: key) } }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { if let value { try encode(value, forKey: key) } }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { if let value { try encode(value, forKey: key) } }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { if let value { try encode(value, forKey: key) } }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { if let value { try encode(value, forKey: key) } }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { if let value { try encode(value, forKey: key) } }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { if let value { try encode(value, forKey: key) } }
}

/// The session and the object that a keyed container writes.
@safe struct KeyedOutputPlace {
    // The session owns the place in its boxes, or the owner of the place retains the session.
    let session: Unmanaged<EncodingSession>
    let state: UnsafeMutablePointer<EncodingState>
    let handle: EncodingSession.Handle
}

extension EncodingSession {
    @inline(__always)
    func container<Key: CodingKey>(keyedBy type: Key.Type, of handle: Handle) -> KeyedEncodingContainer<Key> {
        // `KeyedOutputPlace` explains why the session is alive. The boxes retain the kept container.
        let place = unsafe KeyedOutputPlace(session: Unmanaged.passUnretained(self), state: state, handle: handle)
        let kept: Unmanaged<KeptContainer<KeyedEncodingContainer<Key>>>? = unsafe boxes.container(
            for: ObjectIdentifier(type), at: place)
        guard let kept = unsafe kept else { return newContainer(place) }
        return unsafe kept._withUnsafeGuaranteedRef { $0.copy() }
    }

    @inline(never)
    private func newContainer<Key: CodingKey>(_ place: KeyedOutputPlace) -> KeyedEncodingContainer<Key> {
        unsafe boxes.keep(for: ObjectIdentifier(Key.self), at: place) {
            unsafe KeyedEncodingContainer(KeyedOutput<Key>($0, owner: nil))
        } ?? ownedContainer(place)
    }

    /// Returns a container with its own box, which is not reused.
    private func ownedContainer<Key: CodingKey>(_ place: KeyedOutputPlace) -> KeyedEncodingContainer<Key> {
        let owner = PlaceOwner(place, holder: self)
        return unsafe KeyedEncodingContainer(KeyedOutput<Key>(owner.place, owner: owner))
    }
}
