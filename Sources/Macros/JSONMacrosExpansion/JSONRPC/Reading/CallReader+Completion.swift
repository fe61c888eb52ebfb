// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax

/// The completion handler of a method: its last parameter, `@escaping @Sendable (Result<T, any Error>) -> Void`.
extension CallReader {
    /// The last parameter, if it is a function and the method is not `async`.
    var handler: FunctionParameterSyntax? {
        guard function.signature.effectSpecifiers?.asyncSpecifier == nil,
            let last = function.signature.parameterClause.parameters.last, last.type.functionType != nil
        else { return nil }
        return last
    }

    /// - Returns: The handler and the type of its result, or `nil` if there is no valid handler.
    func readCompletion() -> (completion: CallRequirement.Completion, result: TypeSyntax)? {
        guard let handler, let type = handler.type.functionType else { return nil }
        guard let result = Self.result(of: type) else {
            let guess = Self.guess(type)
            sink.error(
                "a completion handler is '@escaping @Sendable (Result<T, any Error>) -> Void'", at: handler.type,
                Repair(
                    "make it one that gets a 'Result<\(guess), any Error>'", replace: handler.type,
                    byType: "@escaping @Sendable (Result<\(guess), any Error>) -> Void"))
            return nil
        }
        let attributes = handler.type.as(AttributedTypeSyntax.self)?.attributes ?? []
        let missing = ["escaping", "Sendable"].filter { attributes.first($0) == nil }
        if !missing.isEmpty {
            let names = missing.map { "@\($0)" }.joined(separator: " ")
            sink.error(
                "a completion handler is called later and on another thread: it must be '@escaping @Sendable'",
                at: handler.type,
                Repair(
                    "add '\(names)'", replace: handler.type,
                    byType: "@escaping @Sendable \(type.trimmedDescription)"))
        }
        let index = function.signature.parameterClause.parameters.count - 1
        let name = (handler.secondName ?? handler.firstName).text
        let completion = CallRequirement.Completion(
            label: Self.label(handler.firstName.text), internalName: Self.internalName(name, at: index),
            type: handler.type.trimmedDescription, returnsTask: returnsTask)
        return (completion, result)
    }

    private var returnsTask: Bool {
        guard let type = function.signature.returnClause?.type, !type.isVoid else { return false }
        let text = type.trimmedDescription.filter { !$0.isWhitespace }
        if ["Task<Void,Never>", "Task<(),Never>"].contains(text) { return true }
        sink.error(
            "a method with a completion handler returns nothing or 'Task<Void, Never>'", at: type,
            Repair("return the call as a task", replace: type, byType: "Task<Void, Never>"))
        return false
    }

    /// The `T` of `(Result<T, any Error>) -> Void`.
    private static func result(of type: FunctionTypeSyntax) -> TypeSyntax? {
        guard type.returnClause.type.isVoid, type.effectSpecifiers == nil, type.parameters.count == 1,
            let outcome = type.parameters.first?.type.generic, outcome.name == "Result", outcome.arguments.count == 2,
            case .type(let result) = outcome.arguments[0], case .type(let failure) = outcome.arguments[1],
            failure.isAnyError
        else { return nil }
        return result
    }

    /// The likely result type of a handler such as `(T?, Error?) -> Void`.
    private static func guess(_ type: FunctionTypeSyntax) -> String {
        guard let first = type.parameters.first?.type, !first.trimmedDescription.contains("Error") else {
            return "Void"
        }
        return first.as(OptionalTypeSyntax.self)?.wrappedType.trimmedDescription ?? first.trimmedDescription
    }
}
