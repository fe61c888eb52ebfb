// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONMacrosExpansion
import MacroTestSupport
import SwiftSyntaxMacroExpansion

extension Expansion {
    init(of source: String) { self.init(of: source, by: Self.macros) }

    private static let macros: [String: MacroSpec] = [
        "JSONRPCProxy": MacroSpec(type: ProxyExpansion.self),
        "JSONRPCService": MacroSpec(type: ServiceExpansion.self),
        "JSONRPCProxyAndService": MacroSpec(type: ProxyAndServiceExpansion.self),
        "RPC": MacroSpec(type: MethodMark.self),
        "RPCNotification": MacroSpec(type: MethodMark.self),
        "RPCSubscription": MacroSpec(type: MethodMark.self),
        "RPCNotificationStream": MacroSpec(type: PropertyMark.self),
    ]
}

extension GoldenText {
    static func all(in folder: String) throws -> [GoldenText] { try all(in: folder, beside: #filePath) }
}
