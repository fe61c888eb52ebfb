// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the arguments of a call as params, by name or by position. Expansions call it.
public struct ParamsWriter {
    /// The container of params by name; `nil` by position.
    private var members: KeyedEncodingContainer<ParamName>?
    /// The container of params by position; `nil` by name.
    private var elements: (any UnkeyedEncodingContainer)?
    private let nilArguments: NilArguments
    /// By position, the number of `nil` arguments since the last argument that was written.
    private var pendingNulls = 0

    init(to encoder: any Encoder, _ structure: ParamsStructure, _ nilArguments: NilArguments) {
        switch structure {
        case .byName: members = encoder.container(keyedBy: ParamName.self)
        case .byPosition: elements = encoder.unkeyedContainer()
        }
        self.nilArguments = nilArguments
    }

    // The containers have methods of their own for these types, which a generic function cannot reach.

    /// Writes an integer. The other functions write other types.
    public mutating func add(_ name: String, _ value: Int) throws {
        try writePendingNulls()
        try members?.encode(value, forKey: ParamName(name))
        try elements?.encode(value)
    }

    public mutating func add(_ name: String, _ value: String) throws {
        try writePendingNulls()
        try members?.encode(value, forKey: ParamName(name))
        try elements?.encode(value)
    }

    public mutating func add(_ name: String, _ value: Double) throws {
        try writePendingNulls()
        try members?.encode(value, forKey: ParamName(name))
        try elements?.encode(value)
    }

    public mutating func add(_ name: String, _ value: Bool) throws {
        try writePendingNulls()
        try members?.encode(value, forKey: ParamName(name))
        try elements?.encode(value)
    }

    private mutating func writePendingNulls() throws {
        while pendingNulls > 0 {
            try elements?.encodeNil()
            pendingNulls -= 1
        }
    }

    /// Writes an argument.
    ///
    /// - Throws: An error of the encoder or of the value.
    public mutating func add<Value: Encodable>(_ name: String, _ value: Value) throws {
        try writePendingNulls()
        try members?.encode(value, forKey: ParamName(name))
        try elements?.encode(value)
    }

    /// Writes an optional argument. ``NilArguments`` defines the encoding of `nil`.
    ///
    /// - Throws: An error of the encoder or of the value.
    public mutating func add<Value: Encodable>(_ name: String, _ value: Value?) throws {
        if let value { return try add(name, value) }
        switch nilArguments {
        case .omitted: if elements != nil { pendingNulls += 1 }
        case .null:
            try members?.encodeNil(forKey: ParamName(name))
            try elements?.encodeNil()
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
