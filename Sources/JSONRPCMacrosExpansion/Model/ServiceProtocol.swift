// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

/// A protocol, as far as its proxy and its service need to know it.
struct ServiceProtocol {
    var name: String
    /// The modifiers of the types made, with a space behind each; empty for none.
    var typeAccess: String
    /// The modifier of their members, with a space behind it; empty for none.
    var memberAccess: String
    /// `@available` attributes, one to a line.
    var availability: [String]
    var makesProxy: Bool
    var makesService: Bool
    var calls: [CallRequirement]
    var streams: [StreamRequirement]
    var location: SourcePlace?

    var hasCompletionHandlers: Bool { calls.contains { $0.completion != nil } }
}

/// A method's name on the wire.
enum RPCName: Hashable {
    case literal(String)
    /// What a function of the user's makes of the name, behind a prefix.
    case mapped(prefix: String, name: String, function: String)

    /// An expression for it.
    var expression: String {
        switch self {
        case .literal(let text): text.swiftLiteral
        case .mapped(let prefix, let name, let function):
            (prefix.isEmpty ? "" : "\(prefix.swiftLiteral) + ")
                + "JSONRPCMacros.RPCNaming.name(\(name.swiftLiteral), by: \(function))"
        }
    }

    var isLiteral: Bool {
        if case .literal = self { true } else { false }
    }
}

enum ParamsStructure: String {
    case byName, byPosition, whole
}

enum NilArguments: String {
    case omitted, null
}

/// A method of the protocol.
struct CallRequirement {
    /// A parameter that becomes a param.
    struct Parameter {
        /// As in the declaration; nil for `_`.
        var label: String?
        /// The name by which the body of the method knows it.
        var internalName: String
        var wireName: RPCName
        var type: String
        var isOptional: Bool
    }

    struct Completion {
        var label: String?
        var internalName: String
        /// As written, attributes included.
        var type: String
        /// True when the method returns its call as a task.
        var returnsTask: Bool
    }

    /// The name in Swift, with backticks where it needs them.
    var name: String
    var rpcName: RPCName
    /// Tells apart what is made for methods of one name.
    var identifier: String
    var isNotification: Bool
    var parameters: [Parameter]
    /// Nil for an `async` method.
    var completion: Completion?
    /// Nil for none.
    var result: String?
    /// The `E` of `throws(E)`; nil for a plain `throws`.
    var thrownError: String?
    var structure: ParamsStructure
    var nilArguments: NilArguments
    /// Expressions, as the user wrote them.
    var timeout: String?
    var coder: String?
    var options: String?
    var availability: [String]
    /// True when it says so itself, in a program where all is on the main actor unless it says otherwise.
    var isNonisolated: Bool
    /// Where errors in what is made of it are shown: a file and a line, as expressions.
    var location: SourcePlace?

    /// The element's type, where the params are an array that the codec writes faster than one value after the other.
    var arrayElement: String? {
        guard structure == .byPosition, let type = parameters.first?.type, ["Int", "String", "Double"].contains(type)
        else { return nil }
        return parameters.allSatisfy { $0.type == type } ? type : nil
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
    var availability: [String]
    var location: SourcePlace?
}

struct SourcePlace {
    var file: String
    var line: String
}

extension String {
    /// The text as a literal.
    var swiftLiteral: String { StringLiteralExprSyntax(content: self).description }
}
