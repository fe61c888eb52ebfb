// swift-jsonrpc · SPDX-License-Identifier: MIT

struct ProxyWriter {
    let service: ServiceProtocol

    private static let caller = "jsonrpcCaller"
    private static let requests = "jsonrpcRequests"
    private static let completions = "jsonrpcCompletions"

    private var callerType: String {
        service.subscribing == nil ? "any JSONRPCMacros.JSONRPCCaller" : "any JSONRPCMacros.NotificationSubscriber"
    }

    var text: String {
        var code = CodeText()
        code.line("/// Calls the methods of ``\(service.name)``.")
        let head = "\(service.availability)\(service.typeModifiers)struct \(service.name)Proxy"
        code.block("\(head): \(service.name), Swift.Sendable", at: service.location) { code in
            code.line("private let \(Self.caller): \(callerType)")
            if !service.calls.isEmpty { code.line("private let \(Self.requests): \(RequestsWriter.typeName)") }
            if service.hasCompletionHandlers {
                code.line("private let \(Self.completions): JSONRPCMacros.CompletionQueue")
            }
            writeInitializers(&code)
            for stream in service.streams { write(stream, &code) }
            for call in service.calls { write(call, &code) }
            if !service.calls.isEmpty { RequestsWriter(service: service).write(to: &code) }
        }
        return code.text
    }

    // MARK: Initializers

    /// The options of the initializers: description, label, type and default.
    private var options: [(comment: String, label: String, type: String, defaultValue: String)] {
        var options: [(comment: String, label: String, type: String, defaultValue: String)] = []
        if service.hasSelectableStructure {
            let comment = "The structure of params, for methods without `params:` of their own."
            options.append((comment, "params", "JSONRPCMacros.ParamsStructure", ".\(service.structure.rawValue)"))
        }
        if service.hasCompletionHandlers {
            let comment = "The place where completion handlers are called."
            options.append((comment, "completionQueue", "JSONRPCMacros.CompletionQueue", ".anywhere"))
        }
        return options
    }

    private func writeInitializers(_ code: inout CodeText) {
        let parameters = options.map { ", \($0.label): \($0.type) = \($0.defaultValue)" }.joined()
        writeComment("Creates a proxy that calls over a caller, such as a client or a session.", &code)
        code.block("\(service.memberAccess)init(over caller: \(callerType)\(parameters))", at: service.location) {
            code in
            code.line("self.\(Self.caller) = caller")
            let structure = service.hasSelectableStructure ? "\(RequestsWriter.structure): params" : ""
            if !service.calls.isEmpty {
                code.line("self.\(Self.requests) = \(RequestsWriter.typeName)(\(structure))")
            }
            if service.hasCompletionHandlers { code.line("self.\(Self.completions) = completionQueue") }
        }
        if let reason = service.subscribing { return writeUnavailableInitializer(reason, parameters, &code) }
        let arguments = options.map { ", \($0.label): \($0.label)" }.joined()
        for kind in ["ObjectTransport", "DataTransport"] {
            writeComment("Creates a proxy that calls over a transport.", &code)
            // A type that conforms to both is used as an `ObjectTransport`, which sees the ids.
            let preference = kind == "DataTransport" ? "@_disfavoredOverload " : ""
            let head = "init(over transport: some JSONRPCMacros.\(kind)\(parameters))"
            code.block("\(preference)\(service.memberAccess)\(head)", at: service.location) { code in
                code.line("self.init(over: JSONRPCMacros.TransportCaller(over: transport)\(arguments))")
            }
        }
    }

    private func writeComment(_ comment: String, _ code: inout CodeText) {
        code.separate()
        code.line("/// \(comment)")
        if !options.isEmpty { code.line("///") }
        for option in options { code.line("/// - Parameter \(option.label): \(option.comment)") }
    }

    /// Writes an unavailable initializer for transports and callers that receive no notifications.
    private func writeUnavailableInitializer(_ reason: String, _ parameters: String, _ code: inout CodeText) {
        code.separate()
        let why = "\(reason): \(service.name)Proxy needs a 'JSONRPCEndpoint', a client or a session"
        let unavailable = "@available(*, unavailable, message: \(why.literal))"
        let initializer = "\(service.memberAccess)init(over other: some Swift.Sendable\(parameters))"
        code.block("\(unavailable) \(initializer)", at: service.location) { code in
            code.line("Swift.preconditionFailure()")
        }
    }

    // MARK: Streams

    private func write(_ stream: StreamRequirement, _ code: inout CodeText) {
        code.separate()
        let name = stream.rpcName.write(for: stream.identifier, to: &code)
        let head = "\(stream.availability)\(service.memberAccess)var \(stream.name): \(stream.type)"
        code.block(head, at: stream.location) { code in
            let policies = "overflow: \(stream.overflow ?? ".standard"), decoding: \(stream.decoding ?? ".fail")"
            guard let coder = stream.coder else {
                return code.line(
                    "self.\(Self.caller).notifications(\(name), as: \(stream.element).self, \(policies))",
                    at: stream.location)
            }
            code.line("let coder: any JSONRPCMacros.MessageCoder = \(coder)", at: stream.location)
            code.block("return self.\(Self.caller).notificationStream(of: \(name), \(policies))") { code in
                code.line("try $0.params(as: \(stream.element).self, using: coder)", at: stream.location)
            }
        }
    }

    // MARK: Calls

    private func write(_ call: CallRequirement, _ code: inout CodeText) {
        code.separate()
        let isolation = call.isNonisolated ? "nonisolated " : ""
        let head = "\(call.availability)\(isolation)\(service.memberAccess)func \(call.name)\(signature(call))"
        code.block(head, at: call.location) { code in
            let arguments = call.parameters.map { $0.argument($0.internalName) }.joined(separator: ", ")
            let request = "self.\(Self.requests).\(call.requestName)(\(arguments))"
            if let completion = call.completion {
                code.line("let jsonrpcCaller = self.\(Self.caller)")
                code.line("let jsonrpcRequest = \(request)", at: call.location)
                let returned = completion.returnsTask ? "return " : ""
                let perform = "\(returned)self.\(Self.completions).perform(completion: \(completion.internalName))"
                let invocation = invocation(call, of: "jsonrpcRequest", over: "jsonrpcCaller")
                return code.block(perform) { $0.line(invocation, at: call.location) }
            }
            let invocation = invocation(call, of: request, over: "self.\(Self.caller)")
            if let error = call.thrownError {
                code.block("do") { $0.line(invocation, at: call.location) }
                code.block("catch") { $0.line("throw \(error)(callError: error)", at: call.location) }
            } else {
                code.line(invocation, at: call.location)
            }
        }
    }

    private func signature(_ call: CallRequirement) -> String {
        var parameters = call.parameters.map(\.declaration)
        if let completion = call.completion {
            let label = completion.label ?? "_"
            let name = completion.internalName
            parameters.append("\(label == name ? name : "\(label) \(name)"): \(completion.type)")
            let result = completion.returnsTask ? " -> _Concurrency.Task<Swift.Void, Swift.Never>" : ""
            return "(\(parameters.joined(separator: ", ")))\(result)"
        }
        let thrown = call.thrownError.map { "(\($0))" } ?? ""
        return "(\(parameters.joined(separator: ", "))) async throws\(thrown)" + (call.result.map { " -> \($0)" } ?? "")
    }

    private func invocation(_ call: CallRequirement, of request: String, over caller: String) -> String {
        var arguments = "over: \(caller)"
        if !call.isNotification, let timeout = call.timeout { arguments += ", timeout: \(timeout)" }
        let verb = call.subscribedValue == nil ? "call" : "subscribe"
        return "\(call.result == nil ? "" : "return ")try await \(request).\(verb)(\(arguments))"
    }
}
