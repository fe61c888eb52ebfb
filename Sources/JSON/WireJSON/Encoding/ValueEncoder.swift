// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Encodes one value into a session's text.
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

    func singleValueContainer() -> any SingleValueEncodingContainer {
        self
    }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws {
        try session.writeScalar(handle) { session.output.append("null") }
    }

    func encode<T: Encodable>(_ value: T) throws {
        try session.writeScalar(handle) { try session.append(value, step: .none, parent: handle.slot) }
    }

    func encode(_ value: Bool) throws {
        try session.writeScalar(handle) { session.output.append(value) }
    }
    func encode(_ value: String) throws {
        try session.writeScalar(handle) {
            session.output.append(string: value, escapesSlashes: session.escapesSlashes)
        }
    }
    func encode(_ value: Double) throws {
        try session.writeScalar(handle) { try session.append(float: value, step: .none, parent: handle.slot) }
    }
    func encode(_ value: Float) throws {
        try session.writeScalar(handle) { try session.append(float: value, step: .none, parent: handle.slot) }
    }
    func encode(_ value: Int) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    func encode(_ value: Int8) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    func encode(_ value: Int16) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    func encode(_ value: Int32) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    func encode(_ value: Int64) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    func encode(_ value: UInt) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    func encode(_ value: UInt8) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    func encode(_ value: UInt16) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    func encode(_ value: UInt32) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    func encode(_ value: UInt64) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func encode(_ value: Int128) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func encode(_ value: UInt128) throws {
        try session.writeScalar(handle) { session.output.append(integer: value) }
    }
}
