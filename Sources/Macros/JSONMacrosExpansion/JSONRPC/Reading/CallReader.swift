// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads a method of the protocol.
struct CallReader {
    let function: FunctionDeclSyntax
    let options: ProtocolOptions
    let sink: DiagnosticSink

    func read() -> CallRequirement? {
        guard checkKind(), checkGenerics(), checkMarks() else { return nil }
        let isNotification = function.attributes.first("RPCNotification") != nil
        let arguments = AttributeArguments(function.rpcAttribute, sink)
        var parameters = Array(function.signature.parameterClause.parameters)
        let completion = readCompletion()
        if completion != nil {
            parameters.removeLast()
        } else if handler != nil {
            return nil
        }
        let resultType = completion.map(\.result) ?? function.signature.returnClause?.type
        guard checkSubscription(returning: resultType) else { return nil }
        checkEffects(hasCompletion: completion != nil)
        let ownStructure = arguments.option("params", as: ParamsStyle.self)
        let structure = ownStructure ?? options.structure
        let name = function.name.identifier?.name ?? function.name.text
        let rpcName =
            arguments.string(nil).map { RPCName.literal($0) } ?? options.naming.name(name, prefix: options.prefix)
        return CallRequirement(
            name: function.name.text, rpcName: rpcName, identifier: name, requestName: function.name.text,
            isNotification: isNotification,
            subscribedValue: resultType?.firstArgument(of: "Subscription")?.trimmedDescription,
            parameters: readParameters(parameters, structure, arguments),
            completion: completion?.completion, result: checkResult(resultType, isNotification: isNotification),
            thrownError: thrownError, structure: structure, hasOwnStructure: ownStructure != nil,
            nilArguments: arguments.option("nilArguments", as: NilArguments.self) ?? options.nilArguments,
            timeout: arguments.text("timeout") ?? options.timeout, arguments: arguments.forRequest,
            availability: function.attributes.availabilityPrefix,
            isNonisolated: function.modifiers.first("nonisolated") != nil,
            location: sink.place(of: function.name))
    }

    // MARK: Kinds of methods

    private func checkKind() -> Bool {
        guard function.attributes.first("RPCNotificationStream") == nil else {
            sink.stop()  // The macro of the attribute reports it.
            return false
        }
        guard let modifier = function.modifiers.first("static", "class", "mutating") else { return true }
        let name = modifier.name.text
        let why =
            name == "mutating"
            ? "a call does not change its proxy: the method cannot be 'mutating'"
            : "a proxy calls by an instance: a \(name) method cannot be a call"
        sink.error(why, at: modifier, Repair(removing: modifier, from: function))
        return false
    }

    private func checkGenerics() -> Bool {
        if let generics = function.genericParameterClause {
            sink.error(
                "a generic method cannot be a call, because calls need concrete types; write them, or 'JSONValue'",
                at: generics)
            return false
        }
        if let clause = function.genericWhereClause {
            sink.error("a method with a 'where' clause cannot be a call", at: clause)
            return false
        }
        return true
    }

    /// Checks that the method has at most one of the attributes.
    private func checkMarks() -> Bool {
        let marks = RequirementMark.allCases.compactMap { mark in
            function.attributes.first(mark.rawValue).map { (attribute: $0, kind: mark.kind) }
        }
        guard let first = marks.first, let second = marks.dropFirst().first else { return true }
        sink.error(
            "a method is \(first.kind) or \(second.kind), not both", at: second.attribute,
            repairs: [second, first].map { mark in
                let name = mark.attribute.plainName
                return Repair("remove '@\(name)'", replace: function, by: function.unmarked([name]))
            })
        return false
    }

    // MARK: Effects

    private func checkEffects(hasCompletion: Bool) {
        let effects = function.signature.effectSpecifiers
        if hasCompletion {
            guard let effects else { return }
            return sink.error(
                "a method with a completion handler neither waits nor throws", at: effects,
                Repair(
                    "remove '\(effects.trimmedDescription)'", replace: function,
                    by: function.with(\.signature.effectSpecifiers, nil).trimmingEnd(of: function)))
        }
        let isAsync = effects?.asyncSpecifier != nil
        let isThrowing = effects?.throwsClause != nil
        guard !isAsync || !isThrowing else { return }
        let missing = [isAsync ? nil : "async", isThrowing ? nil : "throws"].compactMap { $0 }.joined(separator: " ")
        let why =
            isAsync
            ? "a call can fail"
            : isThrowing ? "a call waits for the response" : "a call waits for the response, and can fail"
        sink.error(
            "\(why): the method must be 'async throws'", at: function.name,
            Repair("add '\(missing)'", replace: function, by: function.asyncThrows()))
    }

    private var thrownError: String? {
        let effects = function.signature.effectSpecifiers
        guard let type = effects?.throwsClause?.type else { return nil }
        let text = type.trimmedDescription
        if text == "Never" || text == "Swift.Never" {
            let plain = ThrowsClauseSyntax(throwsSpecifier: .keyword(.throws, trailingTrivia: .space))
            sink.error(
                "a call can fail: the method must throw", at: type,
                Repair(
                    "remove '(Never)'", replace: function,
                    by: function.with(\.signature.effectSpecifiers, effects?.with(\.throwsClause, plain))))
        }
        return type.isAnyError ? nil : text
    }

    // MARK: Result

    /// The type of the result, or `nil` if there is none.
    private func checkResult(_ type: TypeSyntax?, isNotification: Bool) -> String? {
        guard let type, !type.isVoid else { return nil }
        if isNotification {
            var repair = Repair("make it 'Void'", replace: type, byType: "Void")
            if let clause = function.signature.returnClause, handler == nil {
                repair = Repair(
                    "remove '\(clause.trimmedDescription)'", replace: function,
                    by: function.with(\.signature.returnClause, nil).trimmingEnd(of: function))
            }
            sink.error("a notification gets no reply, so it has no result", at: type, repair)
            return nil
        }
        if let fault = type.codingFault {
            sink.error("a result cannot be \(fault)", at: type, repairs: type.repairs)
            return nil
        }
        return type.trimmedDescription
    }
}

extension FunctionDeclSyntax {
    /// `@RPC`, `@RPCNotification` or `@RPCSubscription`.
    var rpcAttribute: AttributeSyntax? { RequirementMark.allNames.lazy.compactMap { attributes.first($0) }.first }

    /// The same method with a name in its attribute.
    func named(_ name: String) -> FunctionDeclSyntax {
        let literal = StringLiteralExprSyntax(content: name)
        guard let mark = rpcAttribute else { return marked("@RPC(\(literal))") }
        let others = mark.labeledArguments.filter { $0.label != nil }
        return replacing(mark.plainName, by: mark.with([LabeledExprSyntax(expression: literal)] + others))
    }

    /// The declaration with the trailing trivia of another one.
    fileprivate func trimmingEnd(of other: FunctionDeclSyntax) -> FunctionDeclSyntax {
        with(\.trailingTrivia, other.trailingTrivia)
    }

    fileprivate func asyncThrows() -> FunctionDeclSyntax {
        var function = self
        let closing = function.signature.parameterClause.rightParen
        let hasResult = function.signature.returnClause != nil
        let thrown = function.signature.effectSpecifiers?.throwsClause
        let end = thrown?.trailingTrivia ?? (hasResult ? .space : [])
        function.signature.parameterClause.rightParen = closing.with(\.trailingTrivia, .space)
        function.signature.effectSpecifiers = FunctionEffectSpecifiersSyntax(
            asyncSpecifier: .keyword(.async, trailingTrivia: .space),
            throwsClause: (thrown ?? ThrowsClauseSyntax(throwsSpecifier: .keyword(.throws))).with(\.trailingTrivia, end)
        )
        return function
    }
}
