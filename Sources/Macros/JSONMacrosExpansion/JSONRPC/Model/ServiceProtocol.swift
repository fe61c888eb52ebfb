// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A protocol as the proxy and the service need it.
struct ServiceProtocol {
    var name: String
    /// The access modifier of the generated types, followed by a space. It is empty if there is none.
    var typeAccess: String
    var isNonisolated: Bool
    /// The access modifier of their members, followed by a space. It is empty if there is none.
    var memberAccess: String
    /// The `@available` attributes, each followed by a space.
    var availability: String
    /// The default structure of params. The initializer of the proxy can override it.
    var structure: ParamsStyle
    var refusesUnknownParams: Bool
    var calls: [CallRequirement]
    var streams: [StreamRequirement]
    var location: String?

    /// The first requirement that needs a `NotificationSubscriber`, with its kind, or `nil` if there is none.
    var subscribing: String? {
        if let stream = streams.first { return "'\(stream.name)' is a stream of the peer's notifications" }
        return calls.first { $0.subscribedValue != nil }.map { "'\($0.name)' is a subscription" }
    }

    var hasCompletionHandlers: Bool { calls.contains { $0.completion != nil } }

    /// Whether the initializer of the proxy takes `params:`, because a call depends on it.
    var hasSelectableStructure: Bool { calls.contains(where: \.hasSelectableStructure) }

    /// The modifiers of the generated types, followed by a space. It is empty if there are none.
    var typeModifiers: String { (isNonisolated ? "nonisolated " : "") + typeAccess }
}

/// The wire name of a method.
enum RPCName: Hashable {
    case literal(String)
    /// A prefix, and the name that a function of the user returns.
    case mapped(prefix: String, name: String, function: String)

    var expression: String {
        switch self {
        case .literal(let text): text.literal
        case .mapped(let prefix, let name, let function):
            (prefix.isEmpty ? "" : "\(prefix.literal) + ")
                + "JSONRPCMacros.RPCNaming.name(\(name.literal), by: \(function))"
        }
    }

    var isLiteral: Bool {
        if case .literal = self { true } else { false }
    }
}

enum ParamsStyle: String {
    case byName, byPosition, whole
}

enum NilArguments: String {
    case omitted, null
}

enum UnknownParams: String {
    case ignored, refused
}

/// A method of the protocol.
struct CallRequirement {
    /// A parameter that becomes a param.
    struct Parameter {
        /// The label in the declaration, or `nil` for `_`.
        var label: String?
        /// The name of the parameter in the body of the method.
        var internalName: String
        var wireName: RPCName
        var type: String
    }

    struct Completion {
        var label: String?
        var internalName: String
        /// The type as written, including attributes.
        var type: String
        /// Whether the method returns its call as a task.
        var returnsTask: Bool
    }

    /// The name in Swift, with backticks if it needs them.
    var name: String
    var rpcName: RPCName
    /// A name that is unique among the requirements.
    var identifier: String
    /// The name of the function that makes the request.
    var requestName: String
    var isNotification: Bool
    /// The `T` of `Subscription<T>`, or `nil` for calls and notifications.
    var subscribedValue: String?
    var parameters: [Parameter]
    /// `nil` for an `async` method.
    var completion: Completion?
    /// `nil` if the method has no result.
    var result: String?
    /// The `E` of `throws(E)`, or `nil` for a plain `throws`.
    var thrownError: String?
    var structure: ParamsStyle
    /// Whether the attribute of the method sets the structure.
    var hasOwnStructure: Bool
    var nilArguments: NilArguments
    /// The source text of an expression of the user.
    var timeout: String?
    /// The arguments for the initializer of the request: labels, and the source text of expressions of the user.
    var arguments: [(label: String, value: String)]
    var availability: String
    var isNonisolated: Bool
    /// The directive that makes the compiler report errors in the generated code at the requirement.
    var location: String?

    var isWhole: Bool { structure == .whole }

    /// Whether the initializer of the proxy decides the structure.
    var hasSelectableStructure: Bool { !parameters.isEmpty && !isWhole && !hasOwnStructure }

    var hasCustomParamNames: Bool { !isWhole && !parameters.allSatisfy(\.wireName.isLiteral) }

    var requestType: String {
        if isNotification { return "JSONRPCMacros.ProxyNotification" }
        if let subscribedValue { return "JSONRPCMacros.ProxySubscription<\(subscribedValue)>" }
        return result.map { "JSONRPCMacros.ProxyRequest<\($0)>" } ?? "JSONRPCMacros.ProxyCommand"
    }

    func argument(_ label: String) -> String? { arguments.first { $0.label == label }?.value }
}

/// A property that is a stream of the peer's notifications.
struct StreamRequirement {
    var name: String
    var rpcName: RPCName
    var identifier: String
    /// The type as written, such as `NotificationStream<Tick>`.
    var type: String
    var element: String
    var overflow: String?
    var decoding: String?
    var coder: String?
    var availability: String
    var location: String?
}
