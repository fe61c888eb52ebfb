// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials

/// Decodes one value of a document. The same value can be decoded any number of times.
struct DocumentDecoder: Decoder {
    let document: JSONDocument
    let index: Int

    @inline(__always)
    init(_ document: JSONDocument, at index: Int) {
        self.document = document
        self.index = index
    }

    var codingPath: [any CodingKey] { document.path(to: index) }

    var userInfo: [CodingUserInfoKey: Any] { document.options.values.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard document.entry(index).kind == .object else {
            throw document.mismatch("an object", [String: Any].self, at: index)
        }
        return document.container(keyedBy: type, of: index)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard document.entry(index).kind == .array else { throw document.mismatch("an array", [Any].self, at: index) }
        return UnkeyedElements(document, at: index)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension DocumentDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { document.entry(index).kind == .null }

    func decode(_ type: Bool.Type) throws -> Bool { try document.bool(at: index) }
    func decode(_ type: String.Type) throws -> String { try document.string(at: index) }
    func decode<T: BinaryFloatingPoint & Decodable>(_ type: T.Type) throws -> T { try document.float(type, at: index) }
    // These cover the requirements for all integer types up to 64 bits. Those for 128 bits have default
    // implementations, which throw and would be chosen instead.
    func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T { try document.integer(type, at: index) }
    func decode(_ type: Int128.Type) throws -> Int128 { try document.integer(Int128.self, at: index) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try document.integer(UInt128.self, at: index) }
}

extension DocumentDecoder {
    /// Decodes a value. Types with their own form in JSON are not decoded through their `init(from:)`.
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decode(type, known: document.known(type)) }

    func decode<T: Decodable>(_ type: T.Type, known: JSONDocument.KnownFacts) throws -> T {
        switch known.kind {
        case .string: return same(try document.string(at: index), as: type)
        case .int: return same(try document.integer(Int.self, at: index), as: type)
        case .double: return same(try document.float(Double.self, at: index), as: type)
        case .bool: return same(try document.bool(at: index), as: type)
        // Arrays of scalars are read without a container per array and an existential per element.
        case .ints: return same(try elements { try document.integer(Int.self, at: $0) }, as: type)
        case .strings: return same(try elements { try document.string(at: $0) }, as: type)
        case .doubles: return same(try elements { try document.float(Double.self, at: $0) }, as: type)
        case .date: return same(try value(type, date), as: type)
        case .data: return same(try value(type, data), as: type)
        case .url: return same(try value(type, url), as: type)
        case .decimal: return same(try decimal(), as: type)
        case .raw: return same(document.bytes(of: document.entry(index)), as: type)
        case .value: return same(try jsonValue(), as: type)
        case .number: return same(try jsonNumber(), as: type)
        case .other: break
        }
        if let direct = known.direct { return try decode(type, direct, known.collection) }
        if let collection = known.collection { return try collection.decode(self, as: type) }
        return try T(from: self)
    }

    /// Reads a value without `Codable` if possible, and otherwise through `Codable`.
    @inline(never)
    private func decode<T: Decodable>(
        _ type: T.Type, _ direct: AnyDirectCoding, _ collection: (any JSONCollection.Type)?
    ) throws -> T {
        if var reader = document.directReader(at: index) {
            do throws(JSONFallback) {
                return try direct.read(type, &reader)
            } catch {
                document.readsDirectly = false
            }
        }
        if let collection { return try collection.decode(self, as: type) }
        return try T(from: self)
    }

    /// Reads the elements of an array. The default of `count` is right for scalars, which take one entry each.
    @inline(__always)
    func elements<Element>(
        reserving count: @autoclosure () -> Int? = nil, _ read: (Int) throws -> Element
    ) throws -> [Element] {
        let array = document.entry(index)
        guard array.kind == .array else { throw document.mismatch("an array", [Any].self, at: index) }
        let end = Int(array.next)
        var elements: [Element] = []
        elements.reserveCapacity(count() ?? end &- index &- 1)
        var element = index &+ 1
        while element < end {
            elements.append(try read(element))
            element = Int(document.entry(element).next)
        }
        return elements
    }
}

extension DocumentDecoder {
    /// Reads a value of a type that is encoded as another type. The error for `null` names the type itself.
    private func value<Value>(_ type: Any.Type, _ read: () throws -> Value) throws -> Value {
        if decodeNil() { throw document.mismatch("a value", type, at: index) }
        return try read()
    }

    private func date() throws -> Date {
        switch document.options.values.dateDecodingStrategy {
        case .deferredToDate: return try Date(from: self)
        case .secondsSince1970: return Date(timeIntervalSince1970: try document.float(Double.self, at: index))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try document.float(Double.self, at: index) / 1000)
        case .iso8601:
            guard let date = try? Date.ISO8601FormatStyle().parse(try document.string(at: index)) else {
                _ = try document.string(at: index)  // A value that is not a string is a different error.
                throw document.corrupted(
                    "Expected a date and time of RFC 3339, such as \"2024-01-31T12:00:00Z\",", at: index)
            }
            return date
        case .custom(let read): return try read(self)
        }
    }

    private func data() throws -> Data {
        switch document.options.values.dataDecodingStrategy {
        case .deferredToData: return try Data(from: self)
        case .base64:
            guard let data = Data(base64Encoded: try document.string(at: index)) else {
                throw document.corrupted("Expected a Base64 string", at: index)
            }
            return data
        case .custom(let read): return try read(self)
        }
    }

    private func url() throws -> URL {
        guard let url = URL(string: try document.string(at: index)) else {
            throw document.corrupted("Expected a URL", at: index)
        }
        return url
    }

    private func decimal() throws -> Decimal {
        let entry = document.entry(index)
        guard entry.kind == .integer || entry.kind == .decimal else {
            throw document.mismatch("a number", Decimal.self, at: index)
        }
        guard let decimal = Decimal(string: document.number(entry)), decimal.isFinite else {
            throw document.corrupted("`Decimal` cannot hold the number", at: index)
        }
        return decimal
    }

    func jsonNumber() throws -> JSONNumber {
        let entry = document.entry(index)
        guard entry.kind == .integer || entry.kind == .decimal else {
            throw document.mismatch("a number", JSONNumber.self, at: index)
        }
        return document.text.number(entry.range, isInteger: entry.kind == .integer)
    }

    func jsonValue() throws -> JSONValue {
        let entry = document.entry(index)
        // The `null` for a missing `super` has no position in the text.
        guard entry.length > 0 || entry.kind == .string else { return .null }
        var scanner = document.text
        scanner.position = Int(entry.offset) - (entry.kind == .string ? 1 : 0)
        do throws(ScanFault) {
            return try scanner.readValue()
        } catch {
            throw document.corrupted(error.reason, at: index)
        }
    }
}
