// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The names of methods in an OpenRPC document, or in a list of names, for completion.
///
/// The peer writes the document, so all parts that are not as expected are left out.
enum MethodNames {
    /// The method that returns an OpenRPC document.
    static let documentMethod = "rpc.discover"
    /// The method that returns names alone, which XML-RPC servers have introduced.
    static let listMethod = "system.listMethods"
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
            let elements = try? methods.elements()
        else { return [] }
        return usable(elements.lazy.compactMap { (try? JSONMembers($0))?["name"].last })
    }

    /// Returns the names in an array of names, in its order and without repetitions.
    static func readList(_ list: RawJSON) -> [String] {
        guard list.bytes.count <= maximumDocumentBytes, let elements = try? list.elements() else { return [] }
        return usable(elements)
    }

    private static func usable(_ values: some Sequence<RawJSON>) -> [String] {
        var names: [String] = []
        var known: Set<String> = []
        for value in values {
            guard names.count < maximumCount else { break }
            guard let name = try? value.decode(as: String.self), isUsable(name), known.insert(name).inserted else {
                continue
            }
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
