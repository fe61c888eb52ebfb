// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// The parameters of a method, except its completion handler.
extension CallReader {
    func readParameters(
        _ list: [FunctionParameterSyntax], _ structure: ParamsStyle, _ arguments: AttributeArguments
    ) -> [CallRequirement.Parameter] {
        if structure == .whole { checkWhole(list) }
        var renaming = arguments.dictionary("renaming")
        var names: Set<RPCName> = []
        let parameters = list.enumerated().compactMap { index, parameter -> CallRequirement.Parameter? in
            guard check(parameter) else { return nil }
            let label = parameter.firstName.text
            let own = (parameter.secondName ?? parameter.firstName).text
            let swiftName = label == "_" ? own : label
            if swiftName == "_", structure == .byName {
                sink.error(
                    "the params are sent by name, and this parameter has no name", at: parameter.firstName,
                    Repair(
                        "give it a name", replace: parameter,
                        by: parameter.with(\.firstName, .wildcardToken(trailingTrivia: .space)).with(
                            \.secondName, .identifier("<#name#>"))))
                return nil
            }
            let bareName = swiftName == "_" ? "param\(index)" : swiftName.plain
            var wireName = options.paramNaming.name(bareName)
            if let index = renaming.firstIndex(where: { $0.key == bareName }) {
                wireName = .literal(renaming.remove(at: index).value)
            }
            if structure != .whole, !names.insert(wireName).inserted {
                sink.error(
                    "two parameters have the same wire name; rename one with '@RPC(renaming:)'",
                    at: parameter.firstName)
            }
            return CallRequirement.Parameter(
                label: Self.label(label), internalName: Self.internalName(own, at: index), wireName: wireName,
                type: parameter.type.trimmedDescription)
        }
        for unused in renaming {
            sink.error("'renaming' names '\(unused.key)', but the method has no such parameter", at: unused.node)
        }
        return parameters
    }

    /// With `params: .whole`, a method has at most one parameter, which encodes as an array or an object.
    private func checkWhole(_ list: [FunctionParameterSyntax]) {
        if list.count > 1 {
            return sink.error(
                "with 'params: .whole' a method has at most one parameter, the params; put the values into a 'struct'",
                at: function.name)
        }
        guard let type = list.first?.type, type.isScalar else { return }
        sink.error(
            "params are an array or an object (JSON-RPC 2.0 §4.2), and '\(type.trimmedDescription)' is neither; write "
                + "'params: .byName' or 'params: .byPosition'", at: type)
    }

    private func check(_ parameter: FunctionParameterSyntax) -> Bool {
        if let ellipsis = parameter.ellipsis {
            sink.error(
                "a variadic parameter cannot be a param: take an array", at: parameter,
                Repair(
                    "take '[\(parameter.type.trimmedDescription)]'", replace: parameter,
                    by: parameter.with(\.ellipsis, nil).with(
                        \.type, "[\(raw: parameter.type.trimmedDescription)]\(ellipsis.trailingTrivia)")))
            return false
        }
        if let attributed = parameter.type.as(AttributedTypeSyntax.self), attributed.baseType.functionType == nil {
            let marks = attributed.specifiers.trimmedDescription
            if attributed.specifiers.contains(where: { $0.trimmedDescription == "inout" }) {
                sink.error(
                    "the peer cannot change an argument: an 'inout' parameter cannot be a param", at: parameter.type,
                    Repair("remove 'inout'", replace: parameter.type, by: attributed.baseType))
                return false
            }
            if !marks.isEmpty {
                sink.error(
                    "'\(marks)' has no meaning for a param", at: parameter.type,
                    Repair("remove '\(marks)'", replace: parameter.type, by: attributed.baseType))
                return false
            }
        }
        if let fault = parameter.type.codingFault {
            sink.error("a param cannot be \(fault)", at: parameter.type, repairs: parameter.type.repairs)
            return false
        }
        return true
    }

    /// The name of a parameter in the body of a method.
    static func internalName(_ name: String, at index: Int) -> String {
        let bare = name.plain
        return bare != "self" && bare.isValidSwiftIdentifier(for: .variableName) ? bare : "param\(index)"
    }

    /// A label for generated code, with backticks for the few keywords that need them, or `nil` for `_`.
    static func label(_ text: String) -> String? {
        let bare = text.plain
        if bare == "_" { return nil }
        return ["inout", "let", "var"].contains(bare) ? "`\(bare)`" : bare
    }
}
