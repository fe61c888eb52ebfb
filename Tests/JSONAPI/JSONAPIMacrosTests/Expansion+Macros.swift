// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONMacrosExpansion
import MacroTestSupport
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion

extension Expansion {
    init(of source: String) { self.init(of: source, by: Self.macros) }

    private static let macros: [String: MacroSpec] = [
        "Resource": MacroSpec(type: ResourceExpansion.self, conformances: ["Resource"]),
        "NestedAttribute": MacroSpec(type: NestedAttributeExpansion.self, conformances: ["NestedAttribute"]),
        "ResourceUnion": MacroSpec(type: ResourceUnionExpansion.self, conformances: ["ResourceUnion"]),
        "Attribute": MacroSpec(type: FieldMarkExpansion.self),
        "Relationship": MacroSpec(type: FieldMarkExpansion.self),
    ]
}

extension GoldenText {
    static func all(in folder: String) throws -> [GoldenText] { try all(in: folder, beside: #filePath) }
}
