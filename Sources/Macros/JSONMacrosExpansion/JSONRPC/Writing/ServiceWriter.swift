// swift-jsonrpc · SPDX-License-Identifier: MIT

struct ServiceWriter {
    let service: ServiceProtocol

    private var implementationType: String { "any \(service.name) & Swift.Sendable" }

    var text: String {
        var code = CodeText()
        code.line("/// Answers the peer's calls of the methods of ``\(service.name)``.")
        let head = "\(service.availability)\(service.typeModifiers)struct \(service.name)Service"
        code.block("\(head): JSONRPCMacros.RPCServing", at: service.location) { code in
            code.line("private let jsonrpcImplementation: \(implementationType)")
            code.separate()
            code.line("/// Creates a service that answers with the methods of an object.")
            code.block("\(service.memberAccess)init(_ implementation: \(implementationType))", at: service.location) {
                code in
                code.line("self.jsonrpcImplementation = implementation")
            }
            code.separate()
            code.block(
                "\(service.memberAccess)func register(_ registrar: JSONRPCMacros.ServiceRegistrar)",
                at: service.location
            ) { code in
                if !service.calls.isEmpty { code.line("let implementation = self.jsonrpcImplementation") }
                for call in service.calls { write(call, &code) }
            }
            for call in service.calls where !call.parameters.isEmpty && !call.isWhole {
                code.separate()
                writeParamsType(call, &code)
            }
        }
        return code.text
    }

    private func write(_ call: CallRequirement, _ code: inout CodeText) {
        var arguments = [call.rpcName.expression]
        var parameter = ""
        if call.parameters.isEmpty {
            if service.refusesUnknownParams { arguments.append("unknownParams: .refused") }
        } else {
            let type = call.isWhole ? call.parameters[0].type : paramsType(call)
            arguments.append("\(call.isWhole ? "whole" : "params"): \(type).self")
            parameter = "params: \(type)"
        }
        if let coder = call.argument("coder") { arguments.append("coder: \(coder)") }
        let signature = "(\(parameter)) async throws -> \(call.result ?? "JSONRPCMacros.RawJSON") in"
        let opening = "registrar.method(\(arguments.joined(separator: ", ")))"
        code.block(opening, signature: signature, at: call.location) { code in
            code.line("\(call.result == nil ? "" : "return ")\(invocation(call))", at: call.location)
            if call.result == nil { code.line("return JSONRPCMacros.RawJSON.null") }
        }
    }

    private func paramsType(_ call: CallRequirement) -> String { "JSONRPCParams_\(call.identifier)" }

    /// Writes the type that the service decodes from the params of a method.
    private func writeParamsType(_ call: CallRequirement, _ code: inout CodeText) {
        code.block("nonisolated private struct \(paramsType(call)): Swift.Decodable, Swift.Sendable") { code in
            for (index, parameter) in call.parameters.enumerated() {
                code.line("let p\(index): \(parameter.type)", at: call.location)
            }
            code.separate()
            var names = "[\(call.parameters.map(\.wireName.expression).joined(separator: ", "))]"
            if call.hasCustomParamNames {
                code.line("private static let names: [Swift.String] = \(names)")
                code.separate()
                names = "Self.names"
            }
            code.block("init(from decoder: any Swift.Decoder) throws") { code in
                code.line("var params = try JSONRPCMacros.ParamsReader(from: decoder, names: \(names))")
                for (index, parameter) in call.parameters.enumerated() {
                    code.line("self.p\(index) = try params.next(\(parameter.type).self)", at: call.location)
                }
                if service.refusesUnknownParams { code.line("try params.refuseUnknown()") }
            }
        }
    }

    private func invocation(_ call: CallRequirement) -> String {
        var arguments = call.parameters.enumerated().map { index, parameter in
            parameter.argument(call.isWhole ? "params" : "params.p\(index)")
        }
        guard let completion = call.completion else {
            return "try await implementation.\(call.name)(\(arguments.joined(separator: ", ")))"
        }
        arguments.append((completion.label.map { "\($0): " } ?? "") + "completion")
        let method = "implementation.\(call.name)(\(arguments.joined(separator: ", ")))"
        // The macro cannot always see whether the method is isolated to an actor. `begin` makes `await` valid in both
        // cases.
        return "try await JSONRPCMacros.ServiceRegistrar.outcome { completion in "
            + "await JSONRPCMacros.ServiceRegistrar.begin(\(method)) }"
    }
}
