// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Collections of the standard library that are written without containers.
protocol JSONEncodableCollection {
    /// Encodes a value of this type, which `T` must be.
    static func encode<T>(_ value: T, into session: EncodingSession, as handle: EncodingSession.Handle) throws
}

extension Array: JSONEncodableCollection where Element: Encodable {
    static func encode<T>(_ value: T, into session: EncodingSession, as handle: EncodingSession.Handle) throws {
        // The types are the same. A comparison of them would look up this one at run time.
        let elements = unsafe unsafeBitCast(value, to: Self.self)
        session.begin(handle, isObject: false)
        for index in 0..<elements.count {
            if index > 0 { session.output.append(UInt8(ascii: ",")) }
            try session.append(elements[index], step: .index(index), parent: handle.slot)
        }
    }
}

/// The names are the keys. A key strategy does not change them. No two keys have the same bytes.
extension Dictionary: JSONEncodableCollection where Key == String, Value: Encodable {
    static func encode<T>(_ value: T, into session: EncodingSession, as handle: EncodingSession.Handle) throws {
        // The types are the same, as above.
        let members = unsafe unsafeBitCast(value, to: Self.self)
        session.begin(handle, isObject: true)
        var isFirst = true
        for (name, value) in members {
            if !isFirst { session.output.append(UInt8(ascii: ",")) }
            isFirst = false
            session.output.append(string: name, escapesSlashes: session.escapesSlashes)
            session.output.append(UInt8(ascii: ":"))
            try session.append(value, step: .key(AnyCodingKey(stringValue: name)), parent: handle.slot)
        }
    }
}
