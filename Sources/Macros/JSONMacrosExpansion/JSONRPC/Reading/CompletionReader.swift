// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

/// Finds the completion handler of a method: its last parameter, `@escaping @Sendable (Result<T, any Error>) -> Void`.
struct CompletionReader {
    private let function: FunctionDeclSyntax
    private let sink: DiagnosticSink

    init(_ function: FunctionDeclSyntax, _ sink: DiagnosticSink) {
        self.function = function
        self.sink = sink
    }

    /// The last parameter, if it is a function and the method is not `async`.
    var parameter: FunctionParameterSyntax? {
        guard function.signature.effectSpecifiers?.asyncSpecifier == nil,
            let last = function.signature.parameterClause.parameters.last, last.type.functionType != nil
        else { return nil }
        return last
    }

    /// - Returns: The handler and the type of its result; nil if there is no valid handler.
    func read() -> (completion: CallRequirement.Completion, result: TypeSyntax)? {
        guard let parameter, let type = parameter.type.functionType else { return nil }
        guard let result = Self.result(of: type) else {
            sink.error(
                "completionType", "a completion handler is '@escaping @Sendable (Result<T, any Error>) -> Void'",
                at: parameter.type,
                Repair(
                    "make it one that gets a 'Result<\(Self.guess(type)), any Error>'",
                    replace: parameter.type,
                    by: "@escaping @Sendable (Result<\(raw: Self.guess(type)), any Error>) -> Void" as TypeSyntax))
            return nil
        }
        let attributes = parameter.type.as(AttributedTypeSyntax.self)?.attributes ?? []
        let missing = ["escaping", "Sendable"].filter { name in !attributes.contains { $0.isAttribute(name) } }
        if !missing.isEmpty {
            let names = missing.map { "@\($0)" }.joined(separator: " ")
            sink.error(
                "completionAttributes",
                "a completion handler is called later and on another thread: it must be '@escaping @Sendable'",
                at: parameter.type,
                Repair(
                    "add '\(names)'", replace: parameter.type,
                    by: "@escaping @Sendable \(raw: type.trimmedDescription)" as TypeSyntax))
        }
        let index = function.signature.parameterClause.parameters.count - 1
        let name = (parameter.secondName ?? parameter.firstName).text
        let label = parameter.firstName.text
        return (
            CallRequirement.Completion(
                label: ParameterReader.label(label), internalName: ParameterReader.internalName(name, at: index),
                type: parameter.type.trimmedDescription, returnsTask: returnsTask), result
        )
    }

    private var returnsTask: Bool {
        guard let type = function.signature.returnClause?.type, !type.isVoid else { return false }
        let text = type.trimmedDescription.filter { !$0.isWhitespace }
        if ["Task<Void,Never>", "Task<(),Never>"].contains(text) { return true }
        sink.error(
            "completionResult",
            "a method with a completion handler returns nothing or 'Task<Void, Never>'",
            at: type,
            Repair(
                "return the call as a task", replace: type,
                by: ("Task<Void, Never>" as TypeSyntax).with(\.trailingTrivia, type.trailingTrivia)))
        return false
    }

    /// The `T` of `(Result<T, any Error>) -> Void`.
    private static func result(of type: FunctionTypeSyntax) -> TypeSyntax? {
        guard type.returnClause.type.isVoid, type.effectSpecifiers == nil, type.parameters.count == 1,
            let outcome = type.parameters.first?.type
        else { return nil }
        let arguments =
            switch (outcome.as(IdentifierTypeSyntax.self), outcome.as(MemberTypeSyntax.self)) {
            case (let type?, _) where type.name.text == "Result": type.genericArgumentClause
            case (_, let type?) where type.name.text == "Result": type.genericArgumentClause
            case _: GenericArgumentClauseSyntax?.none
            }
        guard let arguments = arguments?.arguments, arguments.count == 2, let value = arguments.first,
            let failure = arguments.last?.argument.trimmedDescription,
            ["any Error", "any Swift.Error", "Error"].contains(failure), case .type(let result) = value.argument
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
