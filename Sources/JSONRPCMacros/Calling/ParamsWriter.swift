// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the arguments of a call as params, by name or by position. Expansions call it.
public struct ParamsWriter {
    private enum Target {
        case members(KeyedEncodingContainer<ParamName>)
        case elements(any UnkeyedEncodingContainer)
    }

    private var target: Target
    private let nilArguments: NilArguments
    /// By position, the number of `nil` arguments since the last argument that was written.
    private var pendingNulls = 0

    init(to encoder: any Encoder, _ structure: ParamsStructure, _ nilArguments: NilArguments) {
        target =
            switch structure {
            case .byName: .members(encoder.container(keyedBy: ParamName.self))
            case .byPosition: .elements(encoder.unkeyedContainer())
            }
        self.nilArguments = nilArguments
    }

    /// Writes an argument.
    ///
    /// - Throws: An error of the encoder or of the value.
    public mutating func add<Value: Encodable>(_ name: String, _ value: Value) throws {
        switch target {
        case .members(var container):
            try container.encode(value, forKey: ParamName(name))
            target = .members(container)
        case .elements(var container):
            for _ in 0..<pendingNulls { try container.encodeNil() }
            pendingNulls = 0
            try container.encode(value)
            target = .elements(container)
        }
    }

    /// Writes an optional argument. ``NilArguments`` defines the encoding of `nil`.
    ///
    /// - Throws: An error of the encoder or of the value.
    public mutating func add<Value: Encodable>(_ name: String, _ value: Value?) throws {
        if let value { return try add(name, value) }
        switch (target, nilArguments) {
        case (.members, .omitted): break
        case (.members(var container), .null):
            try container.encodeNil(forKey: ParamName(name))
            target = .members(container)
        case (.elements, .omitted): pendingNulls += 1
        case (.elements(var container), .null):
            try container.encodeNil()
            target = .elements(container)
        }
    }

    @available(
        *, unavailable,
        message: "a proxy encodes the arguments: conform the parameter's type to 'Encodable' or 'Codable'"
    )
    public mutating func add<Value>(_ name: String, _ value: Value) throws {}
}

/// The name of a param, as a key.
struct ParamName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { return nil }
}
