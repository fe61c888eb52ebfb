// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// The rules for member names (JSON:API 1.1, "Member Names").
public enum MemberName {
    /// A kind of member name.
    public enum Kind: Sendable, Hashable {
        /// A name of the specification, an implementation or a profile.
        case regular
        /// A name that begins with `@`. The specification ignores such members.
        case atMember
        /// A name of an extension: its namespace, a colon and a name.
        case extensionMember(namespace: String)
    }

    /// Returns the kind of a name. The rest of the name need not be legal.
    public static func kind(of name: String) -> Kind {
        if name.utf8.first == UInt8(ascii: "@") { return .atMember }
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return .regular }
        return .extensionMember(namespace: String(name[..<colon]))
    }

    /// Returns whether the name is legal: an extension's namespace may precede it, or `@`.
    ///
    /// The name has at least one character. It begins and ends with a letter of ASCII, a digit or a character from
    /// U+0080. Hyphens, underscores and spaces are legal inside.
    public static func isLegal(_ name: String) -> Bool {
        let text = name.utf8
        switch kind(of: name) {
        case .regular: return isLegal(text[...])
        case .atMember: return isLegal(text.dropFirst())
        case .extensionMember(let namespace):
            return isLegalNamespace(namespace) && isLegal(text.dropFirst(namespace.utf8.count + 1))
        }
    }

    /// Returns whether the name of an extension's namespace is legal: one or more ASCII letters and digits.
    public static func isLegalNamespace(_ namespace: String) -> Bool {
        !namespace.isEmpty && namespace.utf8.allSatisfy(FieldText.isLetterOrDigit)
    }

    /// Returns whether the name follows the recommendation: camel case, with ASCII letters and digits only.
    public static func isRecommended(_ name: String) -> Bool {
        guard let first = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return name.utf8.allSatisfy(FieldText.isLetterOrDigit)
    }

    private static func isLegal(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, let last = text.last else { return false }
        return isGlobal(first) && isGlobal(last) && text.allSatisfy { isGlobal($0) || isInner($0) }
    }

    /// Returns whether the byte is a hyphen, an underscore or a space.
    private static func isInner(_ byte: UInt8) -> Bool { byte == 0x2D || byte == 0x5F || byte == 0x20 }

    private static func isGlobal(_ byte: UInt8) -> Bool { byte >= 0x80 || FieldText.isLetterOrDigit(byte) }
}
