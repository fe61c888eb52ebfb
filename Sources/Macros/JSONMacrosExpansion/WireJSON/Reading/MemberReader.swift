// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax

/// Reads the properties of a structure, or the cases of an enumeration.
struct MemberReader {
    let naming: KeyNaming
    let keys: OwnKeys?
    let sink: DiagnosticSink
    let scope: SourceScope

    /// The name of a property or case in JSON. It is `nil` if the type's own keys do not contain it.
    func memberName(_ name: String, _ written: WrittenKey?) -> String? {
        if let keys { return keys.names[name.plain] }
        return written?.text ?? naming.name(name.plain)
    }

    func twoNames(_ key: WrittenKey) {
        sink.error("the name in JSON is that of 'CodingKeys': remove '@JSONKey' or the case", at: key.node)
    }

    func repeated(_ key: String, _ other: String, at node: some SyntaxProtocol) {
        sink.error("\(key.literal) is the name of '\(other)' in JSON already", at: node)
    }
}

/// The name in `@JSONKey`.
struct WrittenKey {
    let text: String
    let node: ExprSyntax

    init?(_ attributes: AttributeListSyntax, _ sink: DiagnosticSink) {
        guard let expression = attributes.first("JSONKey")?.labeledArguments.first?.expression else { return nil }
        node = expression
        guard let text = expression.literalText else {
            sink.error("the name must be a string literal without interpolation", at: expression)
            return nil
        }
        self.text = text
    }
}
