// swift-jsonrpc · SPDX-License-Identifier: MIT

public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@JSONRPCProxy`: generates `<Name>Proxy`.
open class ProxyExpansion: PeerMacro {
    public static var formatMode: FormatMode { .disabled }

    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let service = read(declaration, node, makesService: false, in: context) else { return [] }
        return [DeclSyntax(stringLiteral: ProxyWriter(service).text)]
    }
}

/// `@JSONRPCService`: generates `<Name>Service`.
open class ServiceExpansion: PeerMacro {
    public static var formatMode: FormatMode { .disabled }

    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let service = read(declaration, node, makesService: true, in: context) else { return [] }
        return [DeclSyntax(stringLiteral: ServiceWriter(service).text)]
    }
}

/// `@JSONRPCProxyAndService`: generates `<Name>Proxy` and `<Name>Service`.
open class ProxyAndServiceExpansion: PeerMacro {
    public static var formatMode: FormatMode { .disabled }

    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let service = read(declaration, node, makesService: true, in: context) else { return [] }
        return [
            DeclSyntax(stringLiteral: ProxyWriter(service).text),
            DeclSyntax(stringLiteral: ServiceWriter(service).text),
        ]
    }
}

/// Reads a protocol; nil if anything in it is an error, so that no further errors arise in generated code.
private func read(
    _ declaration: some DeclSyntaxProtocol, _ attribute: AttributeSyntax, makesService: Bool,
    in context: some MacroExpansionContext
) -> ServiceProtocol? {
    let sink = DiagnosticSink(context)
    guard let declaration = declaration.as(ProtocolDeclSyntax.self) else {
        sink.error("notAProtocol", "'@\(attribute.plainName)' can only be attached to a protocol", at: attribute)
        return nil
    }
    var reader = ProtocolReader(sink)
    let service = reader.read(declaration, attribute: attribute, makesService: makesService)
    return sink.hasErrors ? nil : service
}
