// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax

/// The arguments of an attribute. The compiler checks their types. Their values are read from the syntax.
struct AttributeArguments {
    private let attribute: AttributeSyntax?
    private let sink: DiagnosticSink

    init(_ attribute: AttributeSyntax?, _ sink: DiagnosticSink) {
        self.attribute = attribute
        self.sink = sink
    }

    func expression(_ label: String?) -> ExprSyntax? { attribute?.argument(label) }

    /// The argument's source text for the generated code.
    func text(_ label: String) -> String? { expression(label)?.trimmedDescription }

    /// The arguments for the initializer of a request, in the order of its parameters.
    var forRequest: [(label: String, value: String)] {
        let labels = ["unsubscribe", "style", "overflow", "decoding", "coder", "options", "idempotent", "sharing"]
        return labels.compactMap { label in
            text(label).map { (label == "idempotent" ? "isIdempotent" : label, $0) }
        }
    }

    func string(_ label: String?) -> String? {
        guard let expression = expression(label) else { return nil }
        if let text = expression.literalText { return text }
        sink.error("\(describe(label)) must be a string literal without interpolation", at: expression)
        return nil
    }

    /// A case of an enumeration of this package.
    func option<Option: RawRepresentable>(_ label: String, as type: Option.Type) -> Option?
    where Option.RawValue == String {
        guard let expression = expression(label) else { return nil }
        if let option = expression.caseName.flatMap(Option.init(rawValue:)) { return option }
        notLiteral(label, expression)
        return nil
    }

    /// A naming, or `nil` if the argument is missing or invalid.
    func naming(_ label: String) -> NameStyle? {
        if let call = expression(label)?.as(FunctionCallExprSyntax.self), call.calledExpression.caseName == "custom" {
            if let function = call.arguments.first?.expression ?? call.trailingClosure.map({ ExprSyntax($0) }) {
                return .custom(function.trimmedDescription)
            }
        }
        return option(label, as: NameStyle.Standard.self).map { .standard($0) }
    }

    func dictionary(_ label: String) -> [(key: String, value: String, node: ExprSyntax)] {
        guard let expression = expression(label) else { return [] }
        guard let dictionary = expression.as(DictionaryExprSyntax.self) else {
            notLiteral(label, expression)
            return []
        }
        guard case .elements(let elements) = dictionary.content else { return [] }
        return elements.compactMap { element in
            guard let key = element.key.literalText,
                let value = element.value.literalText
            else {
                sink.error("names must be string literals without interpolation", at: element)
                return nil
            }
            return (key, value, element.key)
        }
    }

    private func notLiteral(_ label: String, _ expression: ExprSyntax) {
        sink.error("\(describe(label)) must be a literal, because the macro reads it at compile time", at: expression)
    }

    private func describe(_ label: String?) -> String { label.map { "'\($0)'" } ?? "the name" }
}
