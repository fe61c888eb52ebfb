// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes `<Name>Proxy`.
struct ProxyWriter {
    private let service: ServiceProtocol

    init(_ service: ServiceProtocol) { self.service = service }

    private static let caller = "jsonrpcCaller"
    private static let completions = "jsonrpcCompletions"

    private var callerType: String {
        service.streams.isEmpty ? "any JSONRPCMacros.JSONRPCCaller" : "any JSONRPCMacros.JSONRPCEndpoint"
    }

    var text: String {
        var code = CodeText()
        code.line("/// Calls the methods of ``\(service.name)``.")
        let head = "\(attributes(service.availability))\(service.typeAccess)struct \(service.name)Proxy"
        code.block("\(head): \(service.name), Swift.Sendable", at: service.location) { code in
            code.line("private let \(Self.caller): \(callerType)")
            if service.hasCompletionHandlers {
                code.line("private let \(Self.completions): JSONRPCMacros.CompletionQueue")
            }
            writeInitializers(&code)
            for stream in service.streams { write(stream, &code) }
            for call in service.calls {
                write(call, &code)
                if !call.parameters.isEmpty, call.structure != .whole, call.arrayElement == nil {
                    code.separate()
                    ParamsWriter(call).writeEncodable(&code)
                }
            }
        }
        return code.text
    }

    private func writeInitializers(_ code: inout CodeText) {
        code.separate()
        code.line("/// Makes a proxy, which calls by the given caller.")
        let queue = service.hasCompletionHandlers
        if queue {
            code.line("///")
            code.line("/// - Parameter completionQueue: where completion handlers are called.")
        }
        let more = queue ? ", completionQueue: JSONRPCMacros.CompletionQueue = .anywhere" : ""
        code.block("\(service.memberAccess)init(over caller: \(callerType)\(more))", at: service.location) { code in
            code.line("self.\(Self.caller) = caller")
            if queue { code.line("self.\(Self.completions) = completionQueue") }
        }
        guard let stream = service.streams.first else { return }
        code.separate()
        let why = "'\(stream.name)' is what the peer pushes: \(service.name)Proxy is made over a JSONRPCEndpoint"
        let unavailable = "@available(*, unavailable, message: \(why.swiftLiteral))"
        let initializer = "\(service.memberAccess)init(over caller: any JSONRPCMacros.JSONRPCCaller)"
        code.block("\(unavailable) \(initializer)", at: service.location) { code in
            code.line("Swift.preconditionFailure()")
        }
    }

    // MARK: Streams

    private func write(_ stream: StreamRequirement, _ code: inout CodeText) {
        code.separate()
        writeName(stream.rpcName, stream.identifier, &code)
        code.block(
            "\(attributes(stream.availability))\(service.memberAccess)var \(stream.name): \(stream.type)",
            at: stream.location
        ) { code in
            let name = nameExpression(stream.rpcName, stream.identifier)
            let overflow = stream.overflow ?? ".standard"
            let decoding = stream.decoding ?? ".fail"
            guard let coder = stream.coder else {
                return code.line(
                    "self.\(Self.caller).notifications(\(name), as: \(stream.element).self, overflow: \(overflow), decoding: \(decoding))",
                    at: stream.location)
            }
            code.line("let coder: any JSONRPCMacros.MessageCoder = \(coder)", at: stream.location)
            code.block(
                "return self.\(Self.caller).notificationStream(of: \(name), overflow: \(overflow), decoding: \(decoding))"
            ) { code in
                code.line("try $0.params(as: \(stream.element).self, using: coder)", at: stream.location)
            }
        }
    }

    // MARK: Calls

    private func write(_ call: CallRequirement, _ code: inout CodeText) {
        code.separate()
        writeName(call.rpcName, call.identifier, &code)
        let isolation = call.isNonisolated ? "nonisolated " : ""
        let head =
            "\(attributes(call.availability))\(isolation)\(service.memberAccess)func \(call.name)\(signature(call))"
        code.block(head, at: call.location) { code in
            if call.completion != nil {
                writeCompletionBody(call, &code)
            } else if let error = call.thrownError {
                code.block("do") { code in writeBody(call, on: "self.\(Self.caller)", &code) }
                code.block("catch") { code in code.line("throw \(error)(callError: error)", at: call.location) }
            } else {
                writeBody(call, on: "self.\(Self.caller)", &code)
            }
        }
    }

    private func signature(_ call: CallRequirement) -> String {
        var parameters = call.parameters.map { Self.parameter($0.label, $0.internalName, $0.type) }
        if let completion = call.completion {
            parameters.append(Self.parameter(completion.label, completion.internalName, completion.type))
            let result = completion.returnsTask ? " -> _Concurrency.Task<Swift.Void, Swift.Never>" : ""
            return "(\(parameters.joined(separator: ", ")))\(result)"
        }
        let thrown = call.thrownError.map { "(\($0))" } ?? ""
        return "(\(parameters.joined(separator: ", "))) async throws\(thrown)" + (call.result.map { " -> \($0)" } ?? "")
    }

    private static func parameter(_ label: String?, _ name: String, _ type: String) -> String {
        let label = label ?? "_"
        return "\(label == name ? name : "\(label) \(name)"): \(type)"
    }

    private func writeCompletionBody(_ call: CallRequirement, _ code: inout CodeText) {
        guard let completion = call.completion else { return }
        let returned = completion.returnsTask ? "return " : ""
        code.line("let caller = self.\(Self.caller)")
        let perform = "\(returned)self.\(Self.completions).perform(completion: \(completion.internalName))"
        code.block(perform) { writeBody(call, on: "caller", &$0) }
    }

    /// Writes the call itself.
    private func writeBody(_ call: CallRequirement, on caller: String, _ code: inout CodeText) {
        var target = caller
        if let coder = call.coder { target += ".coding(with: \(coder))" }
        var arguments = [nameExpression(call.rpcName, call.identifier)]
        if let params = params(call) { arguments.append("params: \(params)") }
        if !call.isNotification {
            arguments.append("as: \(call.result ?? "JSONRPCMacros.RawJSON").self")
            if let timeout = call.timeout { arguments.append("timeout: \(timeout)") }
        }
        if let options = call.options { arguments.append("options: \(options)") }
        let method = call.isNotification ? "notify" : "call"
        let outcome = call.isNotification ? "" : call.result == nil ? "_ = " : "return "
        code.line(
            "\(outcome)try await \(target).\(method)(\(arguments.joined(separator: ", ")))", at: call.location)
    }

    /// An expression for the params, nil for none.
    private func params(_ call: CallRequirement) -> String? {
        guard !call.parameters.isEmpty else { return nil }
        if call.structure == .whole { return call.parameters[0].internalName }
        if let element = call.arrayElement {
            return "[\(call.parameters.map(\.internalName).joined(separator: ", "))] as [\(element)]"
        }
        let arguments = call.parameters.enumerated().map { "p\($0): \($1.internalName)" }
        return "\(ParamsWriter(call).typeName)(\(arguments.joined(separator: ", ")))"
    }

    /// Attributes before a declaration, on its line, which is marked with a place.
    private func attributes(_ list: [String]) -> String { list.map { "\($0) " }.joined() }

    // MARK: Names

    /// A name that is known when the program runs is made once.
    private func writeName(_ name: RPCName, _ identifier: String, _ code: inout CodeText) {
        guard !name.isLiteral else { return }
        code.line("private static let jsonrpcName_\(identifier): Swift.String = \(name.expression)")
        code.separate()
    }

    private func nameExpression(_ name: RPCName, _ identifier: String) -> String {
        name.isLiteral ? name.expression : "Self.jsonrpcName_\(identifier)"
    }
}
