// swift-jsonrpc · SPDX-License-Identifier: MIT

struct ValueEncoder: Encoder {
    let session: EncodingSession
    let handle: EncodingSession.Handle

    var codingPath: [any CodingKey] { session.path(of: handle) }

    var userInfo: [CodingUserInfoKey: Any] { session.options.values.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        session.begin(handle, isObject: true)
        return session.container(keyedBy: type, of: handle)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        session.begin(handle, isObject: false)
        return UnkeyedOutput(session: session, handle: handle)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws { try session.writeScalar(handle) { session.output.append("null") } }

    func encode<T: Encodable>(_ value: T) throws {
        try session.writeScalar(handle) { try session.append(value, step: .none, parent: handle.slot) }
    }

    func encode(_ value: Bool) throws { try session.writeScalar(handle) { session.output.append(value) } }
    func encode(_ value: String) throws {
        try session.writeScalar(handle) {
            session.output.append(string: value, escapesSlashes: session.escapesSlashes)
        }
    }
    func encode<T: BinaryFloatingPoint & CustomStringConvertible & Encodable>(_ value: T) throws {
        try session.writeScalar(handle) { try session.append(float: value, step: .none, parent: handle.slot) }
    }
    // These cover the requirements for all integer types up to 64 bits. Those for 128 bits have default
    // implementations, which throw and would be chosen instead.
    func encode<T: FixedWidthInteger & Encodable>(_ value: T) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    func encode(_ value: Int128) throws { try session.writeScalar(handle) { session.output.append(integer: value) } }
    func encode(_ value: UInt128) throws { try session.writeScalar(handle) { session.output.append(integer: value) } }
}

struct UnkeyedOutput: UnkeyedEncodingContainer {
    let session: EncodingSession
    let handle: EncodingSession.Handle

    var codingPath: [any CodingKey] { session.path(of: handle) }

    var count: Int { session.elementCount(of: handle) }

    @inline(__always)
    private func write(_ body: () throws -> Void) throws {
        try session.write(to: handle, name: nil, body)
        session.countElement(of: handle)
    }

    func encodeNil() throws { try write { session.output.append("null") } }

    func encode<T: Encodable>(_ value: T) throws {
        try write { try session.append(value, step: .index(count), parent: handle.slot) }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        session.container(keyedBy: type, of: nested(.object))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedOutput(session: session, handle: nested(.array))
    }

    func superEncoder() -> any Encoder { ValueEncoder(session: session, handle: nested(.placeholder)) }

    private func nested(_ state: EncodingSession.Record.State) -> EncodingSession.Handle {
        let nested = session.nested(in: handle, name: nil, step: .index(count), state: state)
        session.countElement(of: handle)
        return nested
    }
}

extension UnkeyedOutput {
    func encode(_ value: Bool) throws { try write { session.output.append(value) } }
    func encode(_ value: String) throws {
        try write { session.output.append(string: value, escapesSlashes: session.escapesSlashes) }
    }
    func encode<T: BinaryFloatingPoint & CustomStringConvertible & Encodable>(_ value: T) throws {
        try write { try session.append(float: value, step: .index(count), parent: handle.slot) }
    }
    // These cover the requirements for all integer types up to 64 bits. Those for 128 bits have default
    // implementations, which throw and would be chosen instead.
    func encode<T: FixedWidthInteger & Encodable>(_ value: T) throws {
        try write { session.output.append(integer: value) }
    }
    func encode(_ value: Int128) throws { try write { session.output.append(integer: value) } }
    func encode(_ value: UInt128) throws { try write { session.output.append(integer: value) } }
}
