// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A description of a JSON-RPC service, as OpenRPC 1.3 defines it.
public struct OpenRPCDocument: Sendable {
    /// A method of the service.
    public struct Method: Sendable, Hashable {
        /// How params may be given.
        public enum ParamStructure: String, Sendable {
            case byName = "by-name"
            case byPosition = "by-position"
            case either
        }

        public var name: String
        public var summary: String?
        public var description: String?
        public var isDeprecated: Bool
        public var paramStructure: ParamStructure
        public var params: [ContentDescriptor]
        /// Nil for a notification.
        public var result: ContentDescriptor?
        public var errors: [ErrorDescription]
    }

    /// A param or a result.
    public struct ContentDescriptor: Sendable, Hashable {
        public var name: String
        public var summary: String?
        public var description: String?
        public var isRequired: Bool
        public var schema: JSONSchema
    }

    /// An error that a method may be answered with.
    public struct ErrorDescription: Sendable, Hashable {
        public var code: Int
        public var message: String
    }

    public var openrpc: String
    public var title: String
    public var version: String
    public var description: String?
    public var methods: [Method]
    /// The whole document, which references point into.
    public var json: JSONValue

    /// Reads a document.
    ///
    /// - Throws: ``OpenRPCError``, which says what is wrong and where.
    public init(_ json: JSONValue) throws(OpenRPCError) {
        let reader = DocumentReader(document: json)
        let root = try reader.object(json, "the document")
        self.json = json
        openrpc = try reader.string(root["openrpc"], "openrpc")
        let info = try reader.object(root["info"], "info")
        title = try reader.string(info["title"], "info.title")
        version = try reader.string(info["version"], "info.version")
        description = info["description"]?.stringValue
        guard let methods = root["methods"]?.arrayValue else { throw OpenRPCError("methods is no array.") }
        self.methods = []
        for (index, method) in methods.enumerated() {
            self.methods.append(try reader.method(method, "methods[\(index)]"))
        }
    }

    /// Reads a document.
    ///
    /// - Throws: ``OpenRPCError``, also for what is no JSON.
    public init(parsing bytes: [UInt8]) throws(OpenRPCError) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw OpenRPCError("The document is no JSON: \(error)")
        }
        try self.init(json)
    }
}

/// What is wrong with a document.
public struct OpenRPCError: Error, Sendable, Hashable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
}
