// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxBuilder

/// `@RPCSubscription`, and the type of a method that subscribes.
extension CallReader {
    private var attribute: AttributeSyntax? { function.attributes.first(RequirementMark.subscription.rawValue) }

    /// Reports an error if a subscription is incomplete.
    ///
    /// - Parameter type: The type of the method's result, or `nil` if it has none.
    /// - Returns: Whether the subscription is complete, or the method is not a subscription.
    func checkSubscription(returning type: TypeSyntax?) -> Bool {
        let value = type?.firstArgument(of: "Subscription")
        guard let attribute else {
            if value != nil { unmarked() }
            return value == nil
        }
        if options.makesService {
            sink.error(
                "a service cannot answer subscriptions; move the method into a protocol with '@JSONRPCProxy' only",
                at: attribute)
            return false
        }
        if AttributeArguments(attribute, sink).expression("unsubscribe") == nil {
            sink.error(
                "a subscription needs the method that unsubscribes; write 'unsubscribe: nil' if the server has none",
                at: attribute,
                Repair("add 'unsubscribe:'", replace: attribute, by: Self.addingUnsubscribe(to: attribute)))
            return false
        }
        guard let value else {
            wrongType(type)
            return false
        }
        if let fault = value.codingFault {
            sink.error("a value of a subscription cannot be \(fault)", at: value, repairs: value.repairs)
            return false
        }
        return true
    }

    private func unmarked() {
        let name = RequirementMark.subscription.rawValue
        let fixed: FunctionDeclSyntax
        if let mark = function.rpcAttribute {
            let end = mark.attributeName.trailingTrivia
            let renamed = mark.with(\.attributeName, TypeSyntax(stringLiteral: name).with(\.trailingTrivia, end))
            fixed = function.replacing(mark.plainName, by: Self.addingUnsubscribe(to: renamed))
        } else {
            fixed = function.marked("@\(raw: name)(unsubscribe: \"<#method#>\")")
        }
        sink.error(
            "mark a method that returns a 'Subscription' with '@\(name)'", at: function.name,
            Repair("mark it", replace: function, by: fixed))
    }

    private func wrongType(_ type: TypeSyntax?) {
        let message = "a subscription returns a 'Subscription<T>' of its values"
        guard let type else {
            let clause = ReturnClauseSyntax(
                arrow: .arrowToken(leadingTrivia: .space, trailingTrivia: .space),
                type: "Subscription<<#Value#>>" as TypeSyntax)
            return sink.error(
                message, at: function.name,
                Repair(
                    "return a 'Subscription'", replace: function, by: function.with(\.signature.returnClause, clause)))
        }
        let streams = ["NotificationStream", "AsyncThrowingStream", "AsyncStream"]
        let value = streams.lazy.compactMap { type.firstArgument(of: $0) }.first ?? type
        let text = type.isVoid ? "<#Value#>" : value.trimmedDescription
        sink.error(
            message, at: type,
            Repair(
                type.isVoid ? "return a 'Subscription'" : "return a 'Subscription<\(text)>'", replace: type,
                byType: "Subscription<\(text)>"))
    }

    /// The same attribute with a placeholder for the unsubscribe method after the name.
    private static func addingUnsubscribe(to attribute: AttributeSyntax) -> AttributeSyntax {
        var arguments = attribute.labeledArguments
        let placeholder = LabeledExprSyntax(
            label: "unsubscribe", expression: StringLiteralExprSyntax(content: "<#method#>"))
        let index = arguments.prefix { $0.label == nil }.count
        arguments.insert(placeholder.with(\.colon, .colonToken(trailingTrivia: .space)), at: index)
        return attribute.with(arguments)
    }
}
