// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// The params of a ``ProxyRequest`` or a ``ProxyNotification``.
public struct ProxyParams: Encodable, Sendable {
    private enum Content: Encodable, Sendable {
        case none
        case arguments(ParamsStructure, NilArguments, @Sendable (inout ParamsWriter) throws -> Void)
        case whole(any Encodable & Sendable)

        func encode(to encoder: any Encoder) throws {
            switch self {
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

    private let content: Content
    private var recoding: Recoding?

    /// The coder of a method. Few methods have one, so it is boxed, and the params of other methods copy no coder.
    private final class Recoding: Sendable {
        let coder: any MessageCoder

        init(_ coder: any MessageCoder) { self.coder = coder }
    }

    /// The coder of the method; `nil` for the caller's coder.
    var coder: (any MessageCoder)? {
        get { recoding?.coder }
        set { recoding = newValue.map(Recoding.init) }
    }

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
        guard let coder else { return self }
        var params = self
        params.coder = coder
        return params
    }

    /// Returns the encoded params; `nil` for none, and for params that encode as `null`.
    func encoded(using callersCoder: any MessageCoder, method: String) throws(ClientError) -> RawJSON? {
        if case .none = content { return nil }
        do {
            let json = try recoding?.coder.encode(content) ?? callersCoder.encode(content)
            return json.bytes.count == 4 && json == .null ? nil : json
        } catch {
            throw .encodingFailed(error, method: method)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        guard let coder else { return try content.encode(to: encoder) }
        var container = encoder.singleValueContainer()
        try container.encode(coder.encode(content))
    }
}
