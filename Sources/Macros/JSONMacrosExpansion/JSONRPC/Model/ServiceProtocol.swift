// swift-jsonrpc · SPDX-License-Identifier: MIT

/// What the proxy and the service need to know of a protocol.
struct ServiceProtocol {
    var name: String
    /// The access modifier of the generated types, followed by a space; empty for none.
    var typeAccess: String
    var isNonisolated: Bool
    /// The access modifier of their members, followed by a space; empty for none.
    var memberAccess: String
    /// The `@available` attributes, each followed by a space.
    var availability: String
    /// The structure of params that a proxy uses unless its initializer is given another.
    var structure: ParamsStyle
    var refusesUnknownParams: Bool
    var calls: [CallRequirement]
    var streams: [StreamRequirement]
    var location: SourcePlace?

    /// The requirement because of which the proxy needs a `NotificationSubscriber`, and its kind; nil for none.
    var subscribing: String? {
        if let stream = streams.first { return "'\(stream.name)' is a stream of the peer's notifications" }
        return calls.first { $0.subscription != nil }.map { "'\($0.name)' is a subscription" }
    }

    var hasCompletionHandlers: Bool { calls.contains { $0.completion != nil } }

    /// True if the initializer of the proxy takes `params:`, because a call depends on it.
    var hasSelectableStructure: Bool { calls.contains(where: \.hasSelectableStructure) }

    /// The modifiers of the generated types, followed by a space; empty for none.
    var typeModifiers: String { (isNonisolated ? "nonisolated " : "") + typeAccess }
}

/// The wire name of a method.
enum RPCName: Hashable {
    case literal(String)
    /// A prefix and the result of a function of the user.
    case mapped(prefix: String, name: String, function: String)

    /// An expression for the name.
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
        /// As in the declaration; nil for `_`.
        var label: String?
        /// The name of the parameter in the body of the method.
        var internalName: String
        var wireName: RPCName
        var type: String
    }

    struct Completion {
        var label: String?
        var internalName: String
        /// As written, attributes included.
        var type: String
        /// True when the method returns its call as a task.
        var returnsTask: Bool
    }

    /// The attribute of a method that subscribes.
    struct Subscription {
        /// The `T` of `Subscription<T>`.
        var value: String
        /// Expressions, as the user wrote them.
        var unsubscribe: String
        var style: String?
        var overflow: String?
        var decoding: String?
        var sharing: String?
    }

    /// The name in Swift, with backticks where it needs them.
    var name: String
    var rpcName: RPCName
    /// A name that is different for each requirement.
    var identifier: String
    /// The name of the function that makes the request.
    var requestName: String
    var isNotification: Bool
    /// Nil for calls and notifications.
    var subscription: Subscription?
    var parameters: [Parameter]
    /// Nil for an `async` method.
    var completion: Completion?
    /// Nil for none.
    var result: String?
    /// The `E` of `throws(E)`; nil for a plain `throws`.
    var thrownError: String?
    var structure: ParamsStyle
    /// True if the attribute of the method gives the structure.
    var hasOwnStructure: Bool
    var nilArguments: NilArguments
    /// Expressions, as the user wrote them.
    var timeout: String?
    var coder: String?
    var options: String?
    var idempotent: String?
    var availability: String
    /// True if the requirement is marked `nonisolated`.
    var isNonisolated: Bool
    /// The place where the compiler shows errors in the generated code.
    var location: SourcePlace?

    var isWhole: Bool { structure == .whole }

    /// True if the initializer of the proxy decides about the structure.
    var hasSelectableStructure: Bool { !parameters.isEmpty && !isWhole && !hasOwnStructure }

    var hasCustomParamNames: Bool { !isWhole && !parameters.allSatisfy(\.wireName.isLiteral) }

    var requestType: String {
        if isNotification { return "JSONRPCMacros.ProxyNotification" }
        if let subscription { return "JSONRPCMacros.ProxySubscription<\(subscription.value)>" }
        return result.map { "JSONRPCMacros.ProxyRequest<\($0)>" } ?? "JSONRPCMacros.ProxyCommand"
    }
}

/// A property that is a stream of the peer's notifications.
struct StreamRequirement {
    var name: String
    var rpcName: RPCName
    var identifier: String
    /// As written: `NotificationStream<Tick>`.
    var type: String
    var element: String
    var overflow: String?
    var decoding: String?
    var coder: String?
    var availability: String
    var location: SourcePlace?
}
