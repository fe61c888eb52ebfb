// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftSyntax
import SwiftSyntaxMacros

extension TypeSyntax {
    /// Whether the type is written as `ToOne` or `ToMany`.
    var isRelationship: Bool { ["ToOne", "ToMany"].contains(generic?.name) && generic?.arguments.count == 1 }

    /// The type with WireJSON's types in place of `Any` and of `[String: Any]`. It is `nil` if there is nothing to replace.
    var writtenAsJSON: String? {
        if let inner = wrapped?.writtenAsJSON { return "\(inner)?" }
        if let inner = self.as(ArrayTypeSyntax.self)?.element.writtenAsJSON {
            return "[\(inner)]"
        }
        if let dictionary = self.as(DictionaryTypeSyntax.self) {
            guard let inner = dictionary.value.writtenAsJSON else { return nil }
            let isObject = dictionary.key.trimmedDescription == "String" && ["JSONValue", "JSONValue?"].contains(inner)
            return isObject ? "JSONObject" : "[\(dictionary.key.trimmedDescription): \(inner)]"
        }
        return ["Any", "AnyObject", "AnyHashable", "any Sendable"].contains(trimmedDescription) ? "JSONValue" : nil
    }
}
