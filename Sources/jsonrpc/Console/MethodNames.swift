// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The names of methods in an OpenRPC document, for completion.
///
/// The peer writes the document, so all parts that are not as expected are left out.
enum MethodNames {
    /// The largest document that is read, in bytes: 4 MiB.
    static let maximumDocumentBytes = 4 << 20
    /// The largest number of names: 4096.
    static let maximumCount = 4096
    /// The largest length of a name, in bytes of UTF-8: 128.
    static let maximumNameBytes = 128

    /// Returns the names in the order of the document, without repetitions.
    static func read(_ document: RawJSON) -> [String] {
        guard document.bytes.count <= maximumDocumentBytes,
            let methods = (try? JSONMembers(document))?["methods"].last,
            let elements = (try? JSONElements(methods))?.elements
        else { return [] }
        var names: [String] = []
        var known: Set<String> = []
        for element in elements {
            guard names.count < maximumCount else { break }
            guard let member = (try? JSONMembers(element))?["name"].last,
                let name = try? member.decode(as: String.self),
                isUsable(name), known.insert(name).inserted
            else { continue }
            names.append(name)
        }
        return names
    }

    /// Returns whether a name can be typed as the first word of a line.
    static func isUsable(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= maximumNameBytes, let first = name.unicodeScalars.first else {
            return false
        }
        guard !":#{[\"".unicodeScalars.contains(first) else { return false }
        return name.unicodeScalars.allSatisfy {
            !TerminalText.isUnsafe($0) && !$0.properties.isWhitespace && $0 != "'"
        }
    }
}
