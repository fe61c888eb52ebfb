// swift-jsonrpc · SPDX-License-Identifier: MIT

public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@JSONRPCProxy`: makes `<Name>Proxy` and `<Name>Service` of a protocol.
public struct ProxyExpansion: PeerMacro {
    public static var formatMode: FormatMode { .disabled }

    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let sink = DiagnosticSink(context)
        guard let declaration = declaration.as(ProtocolDeclSyntax.self) else {
            sink.error("notAProtocol", "'@JSONRPCProxy' belongs to a protocol", at: node)
            return []
        }
        var reader = ProtocolReader(sink)
        guard let service = reader.read(declaration, attribute: node), !sink.hasErrors else { return [] }
        var made: [DeclSyntax] = []
        if service.makesProxy { made.append(DeclSyntax(stringLiteral: ProxyWriter(service).text)) }
        if service.makesService { made.append(DeclSyntax(stringLiteral: ServiceWriter(service).text)) }
        return made
    }
}
