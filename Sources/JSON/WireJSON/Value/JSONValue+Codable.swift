// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The coders of this module preserve values completely. Other coders preserve integers and doubles. They preserve
/// longer decimals as far as `Decimal` can represent them, and the order of members if the coder keeps it.
extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? DocumentDecoder {
            self = try decoder.jsonValue()
        } else if let container = try? decoder.container(keyedBy: AnyCodingKey.self) {
            var object = JSONObject()
            for key in container.allKeys {
                object[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
            }
            self = .object(object)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else {
                self = .number(try container.decode(JSONNumber.self))
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? ValueEncoder { return try encoder.encode(self) }
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .number(let value): try value.encode(to: encoder)
        case .string(let value): try value.encode(to: encoder)
        case .array(let elements): try elements.encode(to: encoder)
        case .object(let object):
            var container = encoder.container(keyedBy: AnyCodingKey.self)
            for member in object { try container.encode(member.value, forKey: AnyCodingKey(stringValue: member.key)) }
        }
    }
}

extension JSONNumber: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let decoder = decoder as? DocumentDecoder {
            self = try decoder.jsonNumber()
        } else if let value = try? container.decode(Int64.self) {
            self.init(value)
        } else if let value = try? container.decode(UInt64.self) {
            self.init(value)
        } else {
            let value = try container.decode(Double.self)
            // A coder that supports `Decimal` has digits that the `Double` may have lost.
            if let decimal = try? container.decode(Decimal.self), let exact = JSONNumber(decimal.description),
                exact.double == value
            {
                self = exact
            } else if let number = JSONNumber(value) {
                self = number
            } else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "JSON has no such number.")
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? ValueEncoder { return try encoder.encode(self) }
        var container = encoder.singleValueContainer()
        switch storage {
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .text(let text):
            if let decimal = Decimal(string: text), JSONNumber(decimal.description) == self {
                try container.encode(decimal)
            } else {
                let problem = "The encoder has no type that holds \(text) exactly."
                throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: problem))
            }
        }
    }
}

extension JSONObject: Codable {
    public init(from decoder: any Decoder) throws {
        guard case .object(let object) = try JSONValue(from: decoder) else {
            throw DecodingError.typeMismatch(
                JSONObject.self, .init(codingPath: decoder.codingPath, debugDescription: "The value is no object."))
        }
        self = object
    }

    public func encode(to encoder: any Encoder) throws { try JSONValue.object(self).encode(to: encoder) }
}

/// The coders of this module pass the bytes through unchanged. Other coders see the value that the bytes represent.
extension RawJSON: Codable {
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? DocumentDecoder {
            self = decoder.document.bytes(of: decoder.document.entry(decoder.index))
        } else {
            self.init(try JSONValue(from: decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? ValueEncoder { return try encoder.encode(self) }
        try JSONValue(self).encode(to: encoder)
    }
}
