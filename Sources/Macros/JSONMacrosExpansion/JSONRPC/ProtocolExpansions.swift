// swift-jsonrpc · SPDX-License-Identifier: MIT

public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@JSONRPCProxyAndService`: generates `<Name>Proxy` and `<Name>Service`.
open class ProxyAndServiceExpansion: PeerMacro {
    public static var formatMode: FormatMode { .disabled }

    class var makesProxy: Bool { true }
    class var makesService: Bool { true }

    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let sink = DiagnosticSink(context)
        guard let declaration = declaration.as(ProtocolDeclSyntax.self) else {
            sink.error("'@\(node.plainName)' can only be attached to a protocol", at: node)
            return []
        }
        var reader = ProtocolReader(sink)
        let service = reader.read(declaration, attribute: node, makesService: makesService)
        guard !sink.hasErrors else { return [] }
        let texts =
            (makesProxy ? [ProxyWriter(service: service).text] : [])
            + (makesService ? [ServiceWriter(service: service).text] : [])
        return texts.map { DeclSyntax(stringLiteral: $0) }
    }
}

/// `@JSONRPCProxy`: generates `<Name>Proxy`.
open class ProxyExpansion: ProxyAndServiceExpansion {
    override class var makesService: Bool { false }
}

/// `@JSONRPCService`: generates `<Name>Service`.
open class ServiceExpansion: ProxyAndServiceExpansion {
    override class var makesProxy: Bool { false }
}
