// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The structure of params on the wire (JSON-RPC 2.0 §4.2).
public enum ParamsStructure: Sendable, Hashable {
    /// As an object, with a member for each argument: `{"first":10,"second":32}`.
    case byName
    /// As an array, in the order of the parameters: `[10,32]`.
    case byPosition
}

/// The relation between the parameters of a method and its params.
public enum ParamsStyle: Sendable, Hashable {
    /// Proxies send an object, as ``ParamsStructure/byName`` does. Services accept an object and an array.
    case byName
    /// Proxies send an array, as ``ParamsStructure/byPosition`` does. Services accept an object and an array.
    case byPosition
    /// The only parameter of a method is the params as a whole: a `struct`, an array or a dictionary. A method without
    /// parameters is called without params.
    case whole
}

/// A transformation of Swift names into wire names.
public enum RPCNaming: Sendable {
    /// `addIntegers`
    case asWritten
    /// `add_integers`
    case snakeCase
    /// `add-integers`
    case kebabCase
    /// `AddIntegers`
    case upperCamelCase
    /// The result of a function. The function is called once for each name, so it must be pure.
    case custom(@Sendable (String) -> String)

    /// Returns the result of a function given to ``custom(_:)``. Expansions call it.
    public static func name(_ name: String, by mapping: @Sendable (String) -> String) -> String { mapping(name) }
}

/// The policy of a proxy for arguments that are `nil`.
public enum NilArguments: Sendable, Hashable {
    /// By name, `nil` arguments are left out. By position, `nil` arguments at the end are left out; other `nil`
    /// arguments are `null`, so that the arguments after them keep their positions.
    case omitted
    /// `nil` arguments are `null`.
    case null
}

/// The policy of a service for params that no parameter takes.
public enum UnknownParams: Sendable, Hashable {
    /// The service ignores unknown members, and arguments after the last parameter. Protocols grow by adding both, so
    /// peers with a newer version of a protocol can call this one.
    case ignored
    /// The service answers with `invalidParams` (-32602) and does not call the method.
    case refused
}
