// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes `<Name>Service`.
struct ServiceWriter {
    private let service: ServiceProtocol

    init(_ service: ServiceProtocol) { self.service = service }

    private var implementationType: String { "any \(service.name) & Swift.Sendable" }

    var text: String {
        var code = CodeText()
        code.line("/// Answers the peer's calls of the methods of ``\(service.name)``.")
        let attributes = service.availability.map { "\($0) " }.joined()
        let head = "\(attributes)\(service.typeAccess)struct \(service.name)Service: JSONRPCMacros.JSONRPCService"
        code.block(head, at: service.location) { code in
            code.line("private let jsonrpcImplementation: \(implementationType)")
            code.separate()
            code.line("/// Makes a service, whose methods the given object is.")
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
            for call in service.calls where !call.parameters.isEmpty && call.structure != .whole {
                code.separate()
                ParamsWriter(call).writeDecodable(&code)
            }
        }
        return code.text
    }

    private func write(_ call: CallRequirement, _ code: inout CodeText) {
        var arguments = [call.rpcName.expression]
        let params: String
        if call.parameters.isEmpty {
            params = "JSONRPCMacros.NoParams"
            arguments.append("params: \(params).self")
        } else if call.structure == .whole {
            params = call.parameters[0].type
            arguments.append("whole: \(params).self")
        } else {
            params = ParamsWriter(call).typeName
            arguments.append("params: \(params).self")
        }
        if let coder = call.coder { arguments.append("coder: \(coder)") }
        let result = call.result ?? "JSONRPCMacros.RawJSON"
        let signature = "(\(call.parameters.isEmpty ? "_" : "params"): \(params)) async throws -> \(result) in"
        let opening = "registrar.method(\(arguments.joined(separator: ", ")))"
        code.block(opening, signature: signature, at: call.location) { code in
            let invocation = invocation(call)
            if call.result == nil {
                code.line(invocation, at: call.location)
                code.line("return JSONRPCMacros.RawJSON.null")
            } else {
                code.line("return \(invocation)", at: call.location)
            }
        }
    }

    private func invocation(_ call: CallRequirement) -> String {
        let isWhole = call.structure == .whole
        var arguments = call.parameters.enumerated().map { index, parameter in
            (parameter.label.map { "\($0): " } ?? "") + (isWhole ? "params" : "params.p\(index)")
        }
        guard let completion = call.completion else {
            return "try await implementation.\(call.name)(\(arguments.joined(separator: ", ")))"
        }
        arguments.append((completion.label.map { "\($0): " } ?? "") + "completion")
        let returned = completion.returnsTask ? "_ = " : ""
        return "try await JSONRPCMacros.ServiceRegistrar.outcome { completion in "
            + "\(returned)implementation.\(call.name)(\(arguments.joined(separator: ", "))) }"
    }
}
