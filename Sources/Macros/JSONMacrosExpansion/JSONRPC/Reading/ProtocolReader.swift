// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax

/// The arguments of a protocol's attribute, which apply to all requirements.
struct ProtocolOptions {
    var structure: ParamsStyle
    var prefix: String
    var naming: NameStyle
    var paramNaming: NameStyle
    var nilArguments: NilArguments
    var timeout: String?
    var makesService: Bool
    var unknownParams: UnknownParams

    init(_ arguments: AttributeArguments, makesService: Bool) {
        self.makesService = makesService
        structure = arguments.option("params", as: ParamsStyle.self) ?? .byName
        prefix = arguments.string("prefix") ?? ""
        naming = arguments.naming("naming") ?? .standard(.asWritten)
        paramNaming = arguments.naming("paramNaming") ?? .standard(.asWritten)
        nilArguments = arguments.option("nilArguments", as: NilArguments.self) ?? .omitted
        timeout = arguments.text("timeout")
        unknownParams = arguments.option("unknownParams", as: UnknownParams.self) ?? .ignored
    }
}

/// Reads a protocol, and reports requirements that cannot be calls.
struct ProtocolReader {
    private let sink: DiagnosticSink
    private var identifiers: [String: Int] = [:]
    private var rpcNames: Set<RPCName> = []
    private var requests: Set<[String]> = []
    private var calls: [CallRequirement] = []
    private var streams: [StreamRequirement] = []

    init(_ sink: DiagnosticSink) { self.sink = sink }

    mutating func read(
        _ declaration: ProtocolDeclSyntax, attribute: AttributeSyntax, makesService: Bool
    ) -> ServiceProtocol {
        let options = ProtocolOptions(AttributeArguments(attribute, sink), makesService: makesService)
        check(declaration)
        for member in declaration.memberBlock.members { read(member.decl, options) }
        let access = declaration.modifiers.first("public", "package", "internal", "fileprivate", "private")?.name.text
        return ServiceProtocol(
            name: declaration.name.text,
            typeAccess: access.map { $0 == "private" ? "fileprivate " : "\($0) " } ?? "",
            isNonisolated: declaration.modifiers.first("nonisolated") != nil,
            memberAccess: declaration.modifiers.accessLevel.memberModifier,
            availability: declaration.attributes.availabilityPrefix, structure: options.structure,
            refusesUnknownParams: options.unknownParams == .refused, calls: calls, streams: streams,
            location: sink.place(of: declaration.name))
    }

    /// Reports features of the protocol that the macro does not support.
    private func check(_ declaration: ProtocolDeclSyntax) {
        if let primary = declaration.primaryAssociatedTypeClause {
            sink.error(
                "calls need concrete types; a protocol with associated types cannot have a proxy or a service",
                at: primary)
        }
        if let clause = declaration.genericWhereClause {
            sink.error("a protocol with a 'where' clause cannot have a proxy or a service", at: clause)
        }
        for inherited in declaration.inheritanceClause?.inheritedTypes ?? [] {
            let name = inherited.type.trimmedDescription
            switch name.split(separator: ".").last.map(String.init) ?? name {
            case "Sendable", "SendableMetatype": break
            case "AnyObject", "Actor":
                sink.error(
                    "a proxy is a struct, so it cannot conform to '\(name)'", at: inherited,
                    Repair("remove '\(name)'", replace: declaration, by: declaration.removing(inherited)))
            case _:
                sink.error(
                    "the macro cannot see the requirements of '\(name)'; give '\(name)' a macro of its own",
                    at: inherited)
            }
        }
    }

    private mutating func read(_ member: DeclSyntax, _ options: ProtocolOptions) {
        switch member.as(DeclSyntaxEnum.self) {
        case .functionDecl(let function):
            guard var call = CallReader(function: function, options: options, sink: sink).read() else { return }
            call.identifier = identifier(call.identifier)
            call.requestName = requestName(for: call)
            claim(call.rpcName, for: function, options)
            calls.append(call)
        case .variableDecl(let variable):
            guard var stream = StreamReader(variable: variable, options: options, sink: sink).read() else { return }
            stream.identifier = identifier(stream.identifier)
            streams.append(stream)
        case .typeAliasDecl: break
        case .associatedTypeDecl(let type):
            sink.error("calls need concrete types; write the type in place of '\(type.name.text)'", at: type)
        case .subscriptDecl(let subscripted):
            sink.error("a subscript cannot be a call: write a method", at: subscripted)
        case .initializerDecl(let initializer):
            sink.error("an initializer cannot be a call; proxies have 'init(over:)'", at: initializer)
        case .ifConfigDecl(let condition):
            sink.error("the macro does not evaluate '#if'; put it around the whole protocol", at: condition)
        case _: sink.error("this cannot be a call", at: member)
        }
    }

    /// A name for generated code, unique among the requirements.
    private mutating func identifier(_ base: String) -> String {
        identifiers[base, default: 0] += 1
        let count = identifiers[base, default: 1]
        return count == 1 ? base : "\(base)_\(count)"
    }

    /// The name of the function that makes the request. It is unique, also if two methods differ only in their
    /// completion handlers or results.
    private mutating func requestName(for call: CallRequirement) -> String {
        let signature = [call.name] + call.parameters.flatMap { [$0.label ?? "_", $0.type] }
        return requests.insert(signature).inserted ? call.name : call.identifier
    }

    private mutating func claim(_ name: RPCName, for function: FunctionDeclSyntax, _ options: ProtocolOptions) {
        let isWritten = AttributeArguments(function.rpcAttribute, sink).expression(nil) != nil
        // Services do not answer subscriptions, so an explicit name for one cannot be ambiguous.
        if isWritten, function.attributes.first(RequirementMark.subscription.rawValue) != nil { return }
        guard !rpcNames.insert(name).inserted else { return }
        // Several methods of a proxy may call the same method of the peer if each of them names it explicitly.
        guard options.makesService || !isWritten else { return }
        let node = function.name
        let text = if case .literal(let text) = name { text } else { node.text }
        let how = function.rpcAttribute == nil ? "give this one a name by '@RPC'" : "give this one another name"
        sink.error(
            "two methods have the wire name \"\(text)\"", at: node,
            Repair(how, replace: function, by: function.named("<#name#>")))
    }
}

extension ProtocolDeclSyntax {
    fileprivate func removing(_ inherited: InheritedTypeSyntax) -> ProtocolDeclSyntax {
        var types = (inheritanceClause?.inheritedTypes ?? []).filter { $0.id != inherited.id }
        guard let last = types.indices.last else {
            return with(\.inheritanceClause, nil).with(\.name, name.with(\.trailingTrivia, .space))
        }
        types[last] = types[last].with(\.trailingComma, nil).with(\.trailingTrivia, .space)
        return with(\.inheritanceClause, inheritanceClause?.with(\.inheritedTypes, types))
    }
}
