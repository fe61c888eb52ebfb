// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The members of an object that is being written.
struct KeyedOutput<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let session: EncodingSession
    let handle: EncodingSession.Handle

    var codingPath: [any CodingKey] { session.path(of: handle) }

    @inline(__always)
    private func write(_ key: Key, _ body: () throws -> Void) throws {
        try session.write(to: handle, name: name(key), body)
    }

    @inline(__always)
    private func name(_ key: any CodingKey) -> String {
        session.options.convertsKeys ? session.convertedName(key, in: handle) : key.stringValue
    }

    func encodeNil(forKey key: Key) throws {
        try write(key) { session.output.append("null") }
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try write(key) { try session.append(value, step: .key(key), parent: handle.slot) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(KeyedOutput<Nested>(session: session, handle: nested(key, .object)))
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

    private func nested(
        _ key: any CodingKey, _ state: EncodingSession.Record.State
    ) -> EncodingSession.Handle {
        session.nested(in: handle, name: name(key), step: .key(key), state: state)
    }
}

extension KeyedOutput {
    func encode(_ value: Bool, forKey key: Key) throws {
        try write(key) { session.output.append(value ? "true" : "false") }
    }
    func encode(_ value: String, forKey key: Key) throws {
        try write(key) { session.output.append(string: value, escapesSlashes: session.options.escapesSlashes) }
    }
    func encode(_ value: Double, forKey key: Key) throws {
        try write(key) { try session.append(float: value, step: .key(key), parent: handle.slot) }
    }
    func encode(_ value: Float, forKey key: Key) throws {
        try write(key) { try session.append(float: value, step: .key(key), parent: handle.slot) }
    }
    func encode(_ value: Int, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
    func encode(_ value: Int8, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
    func encode(_ value: Int16, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
    func encode(_ value: Int32, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
    func encode(_ value: Int64, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
    func encode(_ value: UInt, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
    func encode(_ value: UInt8, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
    func encode(_ value: UInt16, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
    func encode(_ value: UInt32, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
    func encode(_ value: UInt64, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func encode(_ value: Int128, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func encode(_ value: UInt128, forKey key: Key) throws {
        try write(key) { session.output.append(integer: value) }
    }
}
