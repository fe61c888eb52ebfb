// swift-jsonrpc · SPDX-License-Identifier: MIT

public struct ServerDescription: Decodable, Sendable {
    public struct Server: Decodable, Sendable { public var name: String }

    public var serverInfo: Server?
}

/// A document with its whole text.
public struct TextDocument: Codable, Hashable, Sendable {
    public var uri: String
    public var languageId: String
    /// A number that grows with each change of the text.
    public var version: Int
    public var text: String

    public init(uri: String, languageId: String, version: Int = 1, text: String) {
        self.uri = uri
        self.languageId = languageId
        self.version = version
        self.text = text
    }
}

public struct DocumentIdentifier: Encodable, Sendable {
    public var uri: String

    public init(uri: String) { self.uri = uri }
}

public struct DocumentVersion: Encodable, Sendable {
    public var uri: String
    public var version: Int
}

/// The whole text after a change. The protocol also has changes of a range.
public struct TextChange: Encodable, Sendable {
    public var text: String
}

/// A place in a document. Lines and characters count from 0; a character is a UTF-16 code unit.
public struct Position: Codable, Hashable, Sendable {
    public var line: Int
    public var character: Int

    public init(line: Int, character: Int) {
        self.line = line
        self.character = character
    }
}

public struct DocumentDiagnostics: Decodable, Sendable {
    public struct Diagnostic: Decodable, Sendable {
        public struct Place: Decodable, Sendable { public var start: Position }

        public var range: Place
        public var message: String
    }

    public var uri: String
    public var version: Int?
    public var diagnostics: [Diagnostic]
}

public struct Hover: Decodable, Sendable {
    /// Markdown or plain text.
    public struct Contents: Decodable, Sendable {
        public var value: String

        /// Decodes an object with a `value`, or text. Some servers send `""` where there is nothing to show.
        public init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                value = text
            } else {
                value = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .value)
            }
        }

        private enum CodingKeys: CodingKey { case value }
    }

    public var contents: Contents
}

public struct CompletionList: Decodable, Sendable {
    public struct Item: Decodable, Sendable { public var label: String }

    public var isIncomplete: Bool
    public var items: [Item]
}

/// The params of `workspace/configuration`, a request of the server.
struct ConfigurationParams: Decodable, Sendable {
    struct Item: Decodable, Sendable { var section: String? }

    var items: [Item]
}
