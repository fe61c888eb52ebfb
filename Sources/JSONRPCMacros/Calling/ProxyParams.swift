// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// The params of a ``ProxyRequest`` or a ``ProxyNotification``.
public struct ProxyParams: Encodable, Sendable {
    private enum Content: Sendable {
        case none
        case arguments(ParamsStructure, NilArguments, @Sendable (inout ParamsWriter) throws -> Void)
        case whole(any Encodable & Sendable)
    }

    private let content: Content
    /// The coder of the params; `nil` for the caller's coder.
    private var coder: (any MessageCoder)?

    /// Creates no params. Expansions call it.
    public init() { content = .none }

    /// Creates params from arguments. Expansions call it.
    ///
    /// - Parameters:
    ///   - structure: By name or by position.
    ///   - nilArguments: The policy for `nil` arguments. The default is ``NilArguments/omitted``.
    ///   - write: Writes each argument, in the order of the parameters.
    public init(
        _ structure: ParamsStructure, nilArguments: NilArguments = .omitted,
        write: @escaping @Sendable (inout ParamsWriter) throws -> Void
    ) {
        content = .arguments(structure, nilArguments, write)
    }

    /// Creates params from one value that encodes as an array or an object. Expansions call it.
    public init(whole value: some Encodable & Sendable) { content = .whole(value) }

    @available(
        *, unavailable, message: "a proxy encodes the params: conform the parameter's type to 'Encodable' or 'Codable'"
    )
    public init(whole value: some Sendable) { content = .none }

    /// Returns the same params with another coder.
    func coding(with coder: (any MessageCoder)?) -> ProxyParams {
        var params = self
        params.coder = coder
        return params
    }

    public func encode(to encoder: any Encoder) throws {
        if let coder {
            var container = encoder.singleValueContainer()
            return try container.encode(coder.encode(coding(with: nil)))
        }
        switch content {
        case .none:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .arguments(let structure, let nilArguments, let write):
            var writer = ParamsWriter(to: encoder, structure, nilArguments)
            try write(&writer)
        case .whole(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
}
