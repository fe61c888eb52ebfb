// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONMacrosExpansion
import MacroTestSupport
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion

extension Expansion {
    init(of source: String) { self.init(of: source, by: Self.macros) }

    private static let macros: [String: MacroSpec] = [
        "JSONCodable": MacroSpec(
            type: JSONCodableExpansion.self, conformances: ["Decodable", "Encodable", "JSONReadable", "JSONWritable"]),
        "JSONKey": MacroSpec(type: JSONKeyExpansion.self),
    ]
}

extension GoldenText {
    static func all(in folder: String) throws -> [GoldenText] { try all(in: folder, beside: #filePath) }
}
