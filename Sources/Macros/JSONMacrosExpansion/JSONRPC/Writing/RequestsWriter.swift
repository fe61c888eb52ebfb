// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the type that makes the requests of a proxy's methods, and the static properties that it uses.
struct RequestsWriter {
    let service: ServiceProtocol

    static let typeName = "JSONRPCRequests"
    /// The property that stores the structure of params.
    static let structure = "jsonrpcParams"

    private var comment: String { "/// Makes requests of the methods of ``\(service.name)``, for batches." }

    func write(to code: inout CodeText) {
        code.separate()
        let structure = service.structure.rawValue
        let arguments = service.hasSelectableStructure ? "\(Self.structure): .\(structure)" : ""
        code.line(comment)
        code.line(
            "nonisolated \(service.memberAccess)static var requests: \(Self.typeName) { \(Self.typeName)(\(arguments)) }"
        )
        if service.hasSelectableStructure {
            code.separate()
            code.line("\(comment.dropLast()), with another structure of params.")
            let head = "static func requests(params: JSONRPCMacros.ParamsStructure) -> \(Self.typeName)"
            code.line("nonisolated \(service.memberAccess)\(head) { \(Self.typeName)(\(Self.structure): params) }")
        }
        code.separate()
        code.line(comment)
        let head = "nonisolated \(service.typeAccess)struct \(Self.typeName): Swift.Sendable"
        code.block(head, at: service.location) { code in
            if service.hasSelectableStructure {
                code.line("fileprivate let \(Self.structure): JSONRPCMacros.ParamsStructure")
            }
            for call in service.calls { write(call, &code) }
        }
    }

    private func write(_ call: CallRequirement, _ code: inout CodeText) {
        code.separate()
        let name = call.rpcName.write(for: call.identifier, to: &code)
        let paramNames = "jsonrpcParamNames_\(call.identifier)"
        if call.hasCustomParamNames {
            let names = call.parameters.map(\.wireName.expression).joined(separator: ", ")
            code.line("private static let \(paramNames): [Swift.String] = [\(names)]")
            code.separate()
        }
        if let style = call.argument("style") {
            // It is created once, because two custom styles are never equal, even if the same expression creates them.
            let property = "private static let \(styleName(call)): JSONRPCMacros.SubscriptionStyle"
            code.line("\(property) = \(style)", at: call.location)
            code.separate()
        }
        let parameters = call.parameters.map(\.declaration).joined(separator: ", ")
        let head = "func \(call.requestName)(\(parameters)) -> \(call.requestType)"
        code.block("\(call.availability)\(service.memberAccess)\(head)", at: call.location) { code in
            let rest = call.arguments.map { label, value in
                ", \(label): \(label == "style" ? "Self.\(styleName(call))" : value)"
            }.joined()
            let opening = "return \(call.requestType)(\(name), JSONRPCMacros.ProxyParams"
            guard !call.isWhole, !call.parameters.isEmpty else {
                let params = call.parameters.first.map { "whole: \($0.internalName)" } ?? ""
                return code.line("\(opening)(\(params))\(rest))", at: call.location)
            }
            let structure = call.hasSelectableStructure ? "self.\(Self.structure)" : ".\(call.structure.rawValue)"
            let nilArguments = call.nilArguments == .null ? ", nilArguments: .null" : ""
            code.block("\(opening)(\(structure)\(nilArguments))", closing: "\(rest))", at: call.location) { code in
                for (index, parameter) in call.parameters.enumerated() {
                    let name =
                        call.hasCustomParamNames ? "Self.\(paramNames)[\(index)]" : parameter.wireName.expression
                    code.line("try $0.add(\(name), \(parameter.internalName))", at: call.location)
                }
            }
        }
    }

    private func styleName(_ call: CallRequirement) -> String { "jsonrpcStyle_\(call.identifier)" }
}

extension RPCName {
    /// Returns an expression for a requirement's name. The result of a function of the user is stored for reuse.
    func write(for identifier: String, to code: inout CodeText) -> String {
        guard !isLiteral else { return expression }
        code.line("private static let jsonrpcName_\(identifier): Swift.String = \(expression)")
        code.separate()
        return "Self.jsonrpcName_\(identifier)"
    }
}

extension CallRequirement.Parameter {
    var declaration: String {
        let label = label ?? "_"
        return "\(label == internalName ? internalName : "\(label) \(internalName)"): \(type)"
    }

    func argument(_ value: String) -> String { (label.map { "\($0): " } ?? "") + value }
}
