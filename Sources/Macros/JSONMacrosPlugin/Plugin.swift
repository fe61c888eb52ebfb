// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONMacrosExpansion
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        JSONRPCProxyMacro.self, JSONRPCServiceMacro.self, JSONRPCProxyAndServiceMacro.self, RPCMethodMacro.self,
        RPCPropertyMacro.self, ResourceMacro.self, NestedAttributeMacro.self, ResourceUnionMacro.self, FieldMacro.self,
        JSONCodableMacro.self, JSONKeyMacro.self,
    ]
}

// The compiler looks up macro types in the plugin's module. Their implementations are in a separate library, so that
// tests do not have to be built for the host.

final class JSONRPCProxyMacro: ProxyExpansion {}
final class JSONRPCServiceMacro: ServiceExpansion {}
final class JSONRPCProxyAndServiceMacro: ProxyAndServiceExpansion {}
final class RPCMethodMacro: MethodMark {}
final class RPCPropertyMacro: PropertyMark {}
final class ResourceMacro: ResourceExpansion {}
final class NestedAttributeMacro: NestedAttributeExpansion {}
final class ResourceUnionMacro: ResourceUnionExpansion {}
final class FieldMacro: FieldMarkExpansion {}
final class JSONCodableMacro: JSONCodableExpansion {}
final class JSONKeyMacro: JSONKeyExpansion {}
