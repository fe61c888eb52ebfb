// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads a method of the protocol.
struct CallReader {
    let function: FunctionDeclSyntax
    let options: ProtocolOptions
    let sink: DiagnosticSink

    init(_ function: FunctionDeclSyntax, _ options: ProtocolOptions, _ sink: DiagnosticSink) {
        self.function = function
        self.options = options
        self.sink = sink
    }

    func read() -> CallRequirement? {
        guard checkKind(), checkGenerics(), MarkReader(function, sink).check() else { return nil }
        let isNotification = function.attributes.first("RPCNotification") != nil
        let arguments = AttributeArguments(function.rpcAttribute, sink)
        var parameters = Array(function.signature.parameterClause.parameters)
        let completion = CompletionReader(function, sink).read()
        if completion != nil {
            parameters.removeLast()
        } else if CompletionReader(function, sink).parameter != nil {
            return nil
        }
        let resultType = completion.map(\.result) ?? function.signature.returnClause?.type
        let subscription = SubscriptionReader(function, options, sink)
        guard subscription.isComplete(returning: resultType) else { return nil }
        checkEffects(hasCompletion: completion != nil)
        let ownStructure = arguments.option("params", as: ParamsStyle.self)
        let structure = ownStructure ?? options.structure
        let name = function.name.identifier?.name ?? function.name.text
        let rpcName =
            arguments.string(nil).map { RPCName.literal($0) } ?? options.naming.name(name, prefix: options.prefix)
        let call = CallRequirement(
            name: function.name.text, rpcName: rpcName, identifier: name, requestName: function.name.text,
            isNotification: isNotification, subscription: subscription.read(returning: resultType),
            parameters: ParameterReader(function, options, sink).read(parameters, structure, arguments),
            completion: completion?.completion, result: checkResult(resultType, isNotification: isNotification),
            thrownError: thrownError, structure: structure, hasOwnStructure: ownStructure != nil,
            nilArguments: arguments.option("nilArguments", as: NilArguments.self) ?? options.nilArguments,
            timeout: arguments.text("timeout") ?? options.timeout, coder: arguments.text("coder"),
            options: arguments.text("options"), idempotent: arguments.text("idempotent"),
            availability: function.attributes.availability,
            isNonisolated: function.modifiers.contains { $0.name.text == "nonisolated" },
            location: sink.place(of: function.name))
        return call
    }

    // MARK: Kinds of methods

    private func checkKind() -> Bool {
        guard function.attributes.first("RPCNotificationStream") == nil else {
            sink.stop()  // The macro of the attribute diagnoses it.
            return false
        }
        for modifier in function.modifiers {
            let why: String
            switch modifier.name.text {
            case "static", "class":
                why = "a proxy calls by an instance: a \(modifier.name.text) method cannot be a call"
            case "mutating": why = "a call does not change its proxy: the method cannot be 'mutating'"
            case _: continue
            }
            sink.error(
                modifier.name.text, why, at: modifier,
                Repair(
                    "remove '\(modifier.name.text)'", replace: function,
                    by: function.removing(modifier)))
            return false
        }
        return true
    }

    private func checkGenerics() -> Bool {
        if let generics = function.genericParameterClause {
            sink.error(
                "generic",
                "a generic method cannot be a call, because calls need concrete types; write them, or 'JSONValue'",
                at: generics)
            return false
        }
        if let clause = function.genericWhereClause {
            sink.error("whereClause", "a method with a 'where' clause cannot be a call", at: clause)
            return false
        }
        return true
    }

    // MARK: Effects

    private func checkEffects(hasCompletion: Bool) {
        let effects = function.signature.effectSpecifiers
        if hasCompletion {
            guard let effects else { return }
            return sink.error(
                "completionEffects", "a method with a completion handler neither waits nor throws", at: effects,
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
            "effects", "\(why): the method must be 'async throws'", at: function.name,
            Repair(
                "add '\(missing)'",
                replace: function, by: function.asyncThrows()))
    }

    private var thrownError: String? {
        guard let type = function.signature.effectSpecifiers?.throwsClause?.type else { return nil }
        let text = type.trimmedDescription
        if text == "Never" || text == "Swift.Never" {
            sink.error(
                "neverThrows", "a call can fail: the method must throw", at: type,
                Repair(
                    "remove '(Never)'",
                    replace: function,
                    by: function.with(
                        \.signature.effectSpecifiers,
                        function.signature.effectSpecifiers?.with(
                            \.throwsClause,
                            ThrowsClauseSyntax(throwsSpecifier: .keyword(.throws, trailingTrivia: .space))))
                ))
        }
        return ["any Error", "any Swift.Error", "Error"].contains(text) ? nil : text
    }

    // MARK: Result

    /// The result's type, nil for none.
    private func checkResult(_ type: TypeSyntax?, isNotification: Bool) -> String? {
        guard let type, !type.isVoid else { return nil }
        if isNotification {
            guard let clause = function.signature.returnClause, CompletionReader(function, sink).parameter == nil else {
                sink.error(
                    "notificationResult", "a notification gets no reply, so it has no result", at: type,
                    Repair("make it 'Void'", replace: type, by: "Void" as TypeSyntax))
                return nil
            }
            sink.error(
                "notificationResult", "a notification gets no reply, so it has no result", at: type,
                Repair(
                    "remove '\(clause.trimmedDescription)'", replace: function,
                    by: function.with(\.signature.returnClause, nil).trimmingEnd(of: function)))
            return nil
        }
        if let fault = type.codingFault {
            sink.error("resultType", "a result cannot be \(fault)", at: type, repairs: type.repairs)
            return nil
        }
        return type.trimmedDescription
    }

    // MARK: Fixes

    /// The same method with a name given by its attribute.
    static func named(_ function: FunctionDeclSyntax, _ name: String) -> FunctionDeclSyntax {
        var function = function
        let literal = StringLiteralExprSyntax(content: name)
        let marks = RequirementMark.allNames
        if let index = function.attributes.firstIndex(where: { mark in marks.contains { mark.isAttribute($0) } }),
            case .attribute(var attribute) = function.attributes[index]
        {
            var rest: [LabeledExprSyntax] = []
            if case .argumentList(let list) = attribute.arguments { rest = list.filter { $0.label != nil } }
            let first = LabeledExprSyntax(
                expression: literal, trailingComma: rest.isEmpty ? nil : .commaToken(trailingTrivia: .space))
            attribute.attributeName.trailingTrivia = []
            attribute.leftParen = .leftParenToken()
            attribute.arguments = .argumentList(LabeledExprListSyntax([first] + rest))
            attribute.rightParen = .rightParenToken(trailingTrivia: attribute.rightParen?.trailingTrivia ?? .space)
            function.attributes[index] = .attribute(attribute)
            return function
        }
        return function.marked("@RPC(\(literal))")
    }
}

extension FunctionDeclSyntax {
    /// `@RPC`, `@RPCNotification` or `@RPCSubscription`.
    var rpcAttribute: AttributeSyntax? { RequirementMark.allNames.lazy.compactMap { attributes.first($0) }.first }

    /// The same method with another attribute, before all others.
    func marked(_ attribute: AttributeSyntax) -> FunctionDeclSyntax {
        var function = self
        function.leadingTrivia = []
        let attribute = attribute.with(\.leadingTrivia, leadingTrivia).with(\.trailingTrivia, .space)
        function.attributes.insert(.attribute(attribute), at: function.attributes.startIndex)
        return function
    }

    fileprivate func removing(_ modifier: DeclModifierSyntax) -> FunctionDeclSyntax {
        var function = self
        let trivia = function.leadingTrivia
        function.modifiers = function.modifiers.filter { $0.name.text != modifier.name.text }
        function.leadingTrivia = trivia
        return function
    }

    /// Ends as the given declaration does.
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
