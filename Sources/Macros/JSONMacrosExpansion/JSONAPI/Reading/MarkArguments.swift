// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// The arguments of `@Attribute` or `@Relationship`. The compiler checks their types. Their values are read from the
/// syntax.
struct MarkArguments {
    private static let knownOptions: Set<String> = ["excluded", "required", "createOnly"]

    /// The name in documents, with its expression.
    private(set) var name: (text: String, node: ExprSyntax)?
    /// The type after `via`, as source text.
    private(set) var transform: String?
    /// The options, with their expression.
    private(set) var options: (names: Set<String>, node: ExprSyntax)?

    init(_ attribute: AttributeSyntax, kind: FieldedType.Kind, _ sink: DiagnosticSink) {
        for argument in attribute.labeledArguments {
            let expression = argument.expression
            if argument.label?.text == "via" {
                transform = Self.type(expression)
                if transform == nil {
                    sink.error("'via' must name a type, such as 'ISO8601.self'", at: expression)
                }
            } else if let literal = expression.as(StringLiteralExprSyntax.self) {
                readName(literal, sink)
            } else if let names = Self.optionNames(expression) {
                options = (names, expression)
            } else {
                sink.error(
                    "the name must be a string literal, and options must be written as '.excluded' or "
                        + "'[.required, .createOnly]'", at: expression)
            }
        }
        checkOptions(kind, sink)
    }

    private mutating func readName(_ literal: StringLiteralExprSyntax, _ sink: DiagnosticSink) {
        guard let text = literal.representedLiteralValue else {
            return sink.error("the name must be a string literal without interpolation", at: literal)
        }
        name = (text, ExprSyntax(literal))
    }

    private func checkOptions(_ kind: FieldedType.Kind, _ sink: DiagnosticSink) {
        guard let options, options.names.contains("createOnly") else { return }
        if options.names.contains("excluded") {
            sink.error(
                "'.excluded' and '.createOnly' contradict each other: an excluded field is never sent",
                at: options.node,
                Self.repair(options.node, by: options.names.subtracting(["createOnly"])),
                Self.repair(options.node, by: options.names.subtracting(["excluded"])))
        } else if kind == .nestedAttribute {
            sink.error(
                "'.createOnly' has no effect in a nested attribute: the attribute that holds it is sent as a whole",
                at: options.node)
        }
    }

    private static func repair(_ node: ExprSyntax, by names: Set<String>) -> Repair {
        let list = names.sorted().map { ".\($0)" }.joined(separator: ", ")
        let text = names.count == 1 ? list : "[\(list)]"
        return Repair("use '\(text)'", replace: node, by: ExprSyntax(stringLiteral: text))
    }

    private static func type(_ expression: ExprSyntax) -> String? {
        guard let access = expression.as(MemberAccessExprSyntax.self), access.base != nil, expression.caseName == "self"
        else { return nil }
        return access.trimmedDescription
    }

    private static func optionNames(_ expression: ExprSyntax) -> Set<String>? {
        if let name = expression.caseName { return knownOptions.contains(name) ? [name] : nil }
        guard let array = expression.as(ArrayExprSyntax.self) else { return nil }
        let names = array.elements.map { optionNames($0.expression) }
        return names.contains(nil) ? nil : names.reduce(into: Set()) { $0.formUnion($1 ?? []) }
    }
}
