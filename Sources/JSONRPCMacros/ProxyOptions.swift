// swift-jsonrpc · SPDX-License-Identifier: MIT

/// How a proxy sends a method's arguments (JSON-RPC 2.0 §4.2). A service takes both, whatever it says.
public enum ParamsStructure: Sendable, Hashable {
    /// As an object: `{"first":10,"second":32}`.
    case byName
    /// As an array, in the order of the parameters: `[10,32]`.
    case byPosition
    /// The method's one parameter is the params as a whole: a `struct`, an array, a dictionary.
    case whole
}

/// Makes a name on the wire of a name in Swift.
public enum RPCNaming: Sendable {
    /// `addIntegers`
    case asWritten
    /// `add_integers`
    case snakeCase
    /// `add-integers`
    case kebabCase
    /// `AddIntegers`
    case upperCamelCase
    /// What the function makes of the name. It is asked once for each method, and for each param when it names
    /// params; so it must always give the same.
    case custom(@Sendable (String) -> String)

    /// What a function for ``custom(_:)`` makes of a name. Expansions call it.
    public static func name(_ name: String, by mapping: @Sendable (String) -> String) -> String { mapping(name) }
}

/// Whether a proxy sends arguments that are nil.
public enum NilArguments: Sendable, Hashable {
    /// By name, they are left out. By position, those at the end are left out, others are `null` so that those behind
    /// them keep their places.
    case omitted
    /// They are `null`.
    case null
}

/// What ``JSONRPCProxy(params:prefix:naming:paramNaming:nilArguments:timeout:makes:)`` makes of a protocol.
public enum ProxyRoles: Sendable, Hashable {
    /// Both. What the methods take and give is then `Codable & Sendable`.
    case proxyAndService
    /// `<Name>Proxy`, which calls the peer. What the methods take is `Encodable`, what they give is `Decodable`.
    case proxy
    /// `<Name>Service`, by which the peer calls. What the methods take is `Decodable`, what they give is `Encodable`.
    case service
}
