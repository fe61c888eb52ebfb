// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// A name and its values in a query or a form, before they are percent-encoded.
public struct HTTPQueryItem: Sendable, Hashable {
    /// The values of a name.
    public enum Value: Sendable, Hashable {
        /// No value. ``HTTPQueryEncoding/nilValues`` decides how it is written.
        case none
        /// One value.
        case single(String)
        /// An array. ``HTTPQueryEncoding/arrays`` decides how it is written.
        case array([String])
    }

    /// The name.
    public var name: String
    /// The value or the values.
    public var value: Value
}

extension HTTPQueryItem {
    /// Makes an item with a text; `nil` stands for no value.
    public init(_ name: String, _ value: String?) { self.init(name: name, value: Value(value)) }

    /// Makes an item with the description of a value, such as a number or a `Bool`.
    public init<V: LosslessStringConvertible>(_ name: String, _ value: V) {
        self.init(name: name, value: Value(value))
    }

    /// Makes an item with the description of a value; `nil` stands for no value.
    @_disfavoredOverload
    public init<V: LosslessStringConvertible>(_ name: String, _ value: V?) {
        self.init(name: name, value: Value(value))
    }

    /// Makes an item with an array of values.
    public init<V: LosslessStringConvertible>(_ name: String, _ values: [V]) {
        self.init(name: name, value: Value(values))
    }
}

extension HTTPQueryItem.Value {
    /// Makes a value from the description of a text, a number or a `Bool`.
    public init<V: LosslessStringConvertible>(_ value: V) { self = .single(value.description) }

    /// Makes a value from the description of another one; `nil` stands for no value.
    @_disfavoredOverload
    public init<V: LosslessStringConvertible>(_ value: V?) { self = value.map { .single($0.description) } ?? .none }

    /// Makes an array of the values' descriptions.
    public init<V: LosslessStringConvertible>(_ values: [V]) { self = .array(values.map(\.description)) }
}

/// The rules by which names and values become the text of a query or a form.
public struct HTTPQueryEncoding: Sendable, Hashable {
    /// The bytes that are written without percent-encoding.
    public enum Characters: Sendable, Hashable {
        /// Letters, digits, `-`, `.`, `_`, `~`, `/` and `?`. This is the smallest set that the generic syntax of a
        /// query needs (RFC 3986 §3.4); all other characters that may delimit something are encoded.
        case rfc3986
        /// Letters, digits, `*`, `-`, `.` and `_`, as the URL Standard's serializer of forms leaves them.
        case form
    }

    /// The form of a space.
    public enum Spaces: Sendable, Hashable {
        /// `%20`, which every decoder understands.
        case percent20
        /// `+`, which only decoders of forms understand.
        case plus
    }

    /// The form of an item without a value.
    public enum NilValues: Sendable, Hashable {
        /// The item is left out.
        case omitted
        /// `name`.
        case nameOnly
        /// `name=`.
        case emptyValue
    }

    /// The form of an array. An array without elements is left out in every form.
    public enum Arrays: Sendable, Hashable {
        /// `tag=a&tag=b`.
        case repeated
        /// `tag[]=a&tag[]=b`, with encoded brackets.
        case brackets
        /// `tag[0]=a&tag[1]=b`, with encoded brackets.
        case indexed
        /// `tag=a,b`. Commas within a value are encoded.
        case commaSeparated
    }

    /// The bytes that are written without percent-encoding.
    public var characters: Characters
    /// The form of a space.
    public var spaces: Spaces
    /// The form of an item without a value. The default is ``NilValues/nameOnly``.
    public var nilValues: NilValues
    /// The form of an array. The default is ``Arrays/repeated``.
    public var arrays: Arrays

    public init(
        characters: Characters, spaces: Spaces, nilValues: NilValues = .nameOnly, arrays: Arrays = .repeated
    ) {
        self.characters = characters
        self.spaces = spaces
        self.nilValues = nilValues
        self.arrays = arrays
    }

    /// The default of queries: RFC 3986, and `%20` for a space.
    public static let rfc3986 = Self(characters: .rfc3986, spaces: .percent20)
    /// The default of forms: the URL Standard's serializer, with `+` for a space and `name=` for a missing value.
    public static let form = Self(characters: .form, spaces: .plus, nilValues: .emptyValue)

    /// Writes the items in their order, separated by `&`. Each name and each value is encoded exactly once.
    public func encode(_ items: [HTTPQueryItem]) -> String {
        if items.isEmpty { return "" }
        var text: [UInt8] = []
        var isFirst = true
        for item in items {
            for (suffix, values) in parts(of: item) {
                if !isFirst { text.append(UInt8(ascii: "&")) }
                isFirst = false
                append(item.name + suffix, to: &text)
                guard let values else { continue }
                text.append(UInt8(ascii: "="))
                for (index, value) in values.enumerated() {
                    if index > 0 { text.append(UInt8(ascii: ",")) }
                    append(value, to: &text)
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The suffix of the name and the values behind one `=`, for each pair that an item becomes.
    private func parts(of item: HTTPQueryItem) -> [(suffix: String, values: [String]?)] {
        switch (item.value, nilValues, arrays) {
        case (.single(let value), _, _): [("", [value])]
        case (.none, .omitted, _): []
        case (.none, .nameOnly, _): [("", nil)]
        case (.none, .emptyValue, _): [("", [])]
        case (.array(let values), _, .repeated): values.map { ("", [$0]) }
        case (.array(let values), _, .brackets): values.map { ("[]", [$0]) }
        case (.array(let values), _, .indexed): values.enumerated().map { ("[\($0.offset)]", [$0.element]) }
        case (.array(let values), _, .commaSeparated): values.isEmpty ? [] : [("", values)]
        }
    }

    private func append(_ text: String, to bytes: inout [UInt8]) {
        let kept: ASCIISet = characters == .form ? .form : .query
        for byte in text.utf8 {
            if byte == 0x20, spaces == .plus {
                bytes.append(UInt8(ascii: "+"))
            } else {
                PercentEncoding.append(byte, keeping: kept, to: &bytes)
            }
        }
    }
}
