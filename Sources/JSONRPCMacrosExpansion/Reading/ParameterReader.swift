// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads a method's parameters, its completion handler left out.
struct ParameterReader {
    private let function: FunctionDeclSyntax
    private let options: ProtocolOptions
    private let sink: DiagnosticSink

    init(_ function: FunctionDeclSyntax, _ options: ProtocolOptions, _ sink: DiagnosticSink) {
        self.function = function
        self.options = options
        self.sink = sink
    }

    func read(
        _ list: [FunctionParameterSyntax], _ structure: ParamsStructure, _ arguments: AttributeArguments
    ) -> [CallRequirement.Parameter] {
        if structure == .whole, list.count != 1 {
            sink.error(
                "whole", "with 'params: .whole' a method has one parameter, which is the params", at: function.name)
        }
        var renaming = arguments.dictionary("renaming")
        var names: Set<RPCName> = []
        let parameters = list.enumerated().compactMap { index, parameter -> CallRequirement.Parameter? in
            guard check(parameter) else { return nil }
            let label = parameter.firstName.text
            let own = (parameter.secondName ?? parameter.firstName).text
            let swiftName = label == "_" ? own : label
            if swiftName == "_", structure == .byName {
                sink.error(
                    "namelessParameter", "the params are sent by name, and this one has none", at: parameter.firstName,
                    fix: "give it a name", replace: parameter,
                    by: parameter.with(\.firstName, .wildcardToken(trailingTrivia: .space)).with(
                        \.secondName, .identifier("<#name#>")))
                return nil
            }
            let bareName = swiftName == "_" ? "param\(index)" : Self.withoutBackticks(swiftName)
            var wireName = options.paramNaming.name(bareName)
            if let index = renaming.firstIndex(where: { $0.key == bareName }) {
                wireName = .literal(renaming.remove(at: index).value)
            }
            if structure == .byName, !names.insert(wireName).inserted {
                sink.error(
                    "sameParameter", "two parameters have the same name on the wire", at: parameter.firstName)
            }
            return CallRequirement.Parameter(
                label: Self.label(label), internalName: Self.internalName(own, at: index), wireName: wireName,
                type: parameter.type.trimmedDescription, isOptional: parameter.type.isOptional)
        }
        for unused in renaming {
            sink.error("renaming", "there is no parameter '\(unused.key)'", at: unused.node)
        }
        return parameters
    }

    private func check(_ parameter: FunctionParameterSyntax) -> Bool {
        if let ellipsis = parameter.ellipsis {
            sink.error(
                "variadic", "a variadic parameter cannot be a param: take an array", at: parameter,
                fix: "take '[\(parameter.type.trimmedDescription)]'", replace: parameter,
                by: parameter.with(\.ellipsis, nil).with(
                    \.type, "[\(raw: parameter.type.trimmedDescription)]\(ellipsis.trailingTrivia)"))
            return false
        }
        if let attributed = parameter.type.as(AttributedTypeSyntax.self), attributed.baseType.functionType == nil {
            let marks = attributed.specifiers.trimmedDescription
            if attributed.specifiers.contains(where: { $0.trimmedDescription == "inout" }) {
                sink.error(
                    "inout", "what is sent does not come back: an 'inout' parameter cannot be a param",
                    at: parameter.type,
                    fix: "remove 'inout'", replace: parameter.type, by: attributed.baseType)
                return false
            }
            if !marks.isEmpty {
                sink.error(
                    "specifier", "'\(marks)' has no meaning for a param", at: parameter.type, fix: "remove '\(marks)'",
                    replace: parameter.type, by: attributed.baseType)
                return false
            }
        }
        if let fault = parameter.type.codingFault {
            sink.error(
                "parameterType", "a param cannot be \(fault)", at: parameter.type, fixes: parameter.type.fixes)
            return false
        }
        return true
    }

    /// A name by which the body of a method can speak of a parameter.
    static func internalName(_ name: String, at index: Int) -> String {
        let bare = withoutBackticks(name)
        return bare != "self" && bare.isValidSwiftIdentifier(for: .variableName) ? bare : "param\(index)"
    }

    /// A label as it stands in code: only some keywords need backticks there. Nil for `_`.
    static func label(_ text: String) -> String? {
        let bare = withoutBackticks(text)
        if bare == "_" { return nil }
        return ["inout", "let", "var"].contains(bare) ? "`\(bare)`" : bare
    }

    private static func withoutBackticks(_ name: String) -> String { name.filter { $0 != "`" } }
}
