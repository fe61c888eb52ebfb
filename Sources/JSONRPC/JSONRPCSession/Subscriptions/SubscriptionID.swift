// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The id of a subscription: a JSON string or a JSON integer of any size, as the server sent it.
///
/// `1` and `"1"` are different ids, and so are `"1"` and `"01"`. Different escapes of one string are equal. An id has
/// at most ``maximumBytes``, because ids are stored for notifications that come early or late.
public struct SubscriptionID: Sendable {
    /// The id without its JSON syntax.
    enum Content: Sendable, Hashable {
        /// The digits of an integer.
        case number(String)
        case string(String)
    }

    /// The maximum length of an id as JSON, 1024 bytes.
    public static let maximumBytes = 1024

    let content: Content
    /// The id as the server sent it, if it has escapes. Other ids are not kept as slices, which would keep their whole
    /// message.
    private let escaped: RawJSON?

    /// The id as the server sent it. Unsubscribe requests repeat it unchanged.
    public var json: RawJSON {
        if let escaped { return escaped }
        switch content {
        case .number(let digits): return RawJSON(unchecked: Array(digits.utf8))
        case .string(let text): return RawJSON(unchecked: Array("\"\(text)\"".utf8))
        }
    }

    /// The bytes that count against a limit.
    var heldBytes: Int {
        switch content {
        case .number(let text), .string(let text): text.utf8.count + (escaped?.bytes.count ?? 0)
        }
    }

    /// Makes an id from a JSON value; `nil` if the value is neither a string nor an integer, or is longer than
    /// ``maximumBytes``.
    public init?(_ json: RawJSON) {
        guard json.bytes.count <= Self.maximumBytes, let content = Content(json) else { return nil }
        self.content = content
        escaped = json.bytes.contains(UInt8(ascii: "\\")) ? RawJSON(unchecked: Array(json.bytes)) : nil
    }
}

extension SubscriptionID: Hashable {
    /// Whether both are strings with the same characters, or both are integers with the same digits.
    public static func == (left: SubscriptionID, right: SubscriptionID) -> Bool { left.content == right.content }

    public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

extension SubscriptionID: CustomStringConvertible {
    /// The id as JSON, `1` or `"1"`.
    public var description: String { json.text }
}

extension SubscriptionID.Content {
    fileprivate init?(_ json: RawJSON) {
        let bytes = json.bytes
        if bytes.first == UInt8(ascii: "\"") {
            if bytes.contains(UInt8(ascii: "\\")) {
                // It fails for half of a surrogate pair.
                guard let text = try? json.decode(as: String.self) else { return nil }
                self = .string(text)
            } else {
                self = .string(String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self))
            }
            return
        }
        let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes
        guard !digits.isEmpty, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        self = .number(json.text)
    }

    /// The id of the other type with the same text; `nil` for a string that is not the shortest form of an integer.
    var counterpart: SubscriptionID.Content? {
        switch self {
        case .number(let digits): return .string(digits)
        case .string(let text):
            let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
            guard !digits.isEmpty, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
                digits.first != UInt8(ascii: "0") || text == "0"
            else { return nil }
            return .number(text)
        }
    }
}
