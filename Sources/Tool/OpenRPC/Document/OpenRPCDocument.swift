// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The description of a JSON-RPC service (OpenRPC 1.3).
///
/// References within the document are resolved when it is read, except those in schemas:
/// ``JSONSchema/Form/reference(_:)``. References to other documents are not supported.
public struct OpenRPCDocument: Sendable {
    /// A method of the service.
    public struct Method: Sendable, Hashable {
        /// The way in which a method accepts its params (OpenRPC 1.3, `paramStructure`).
        public enum ParamStructure: String, Sendable {
            /// The params must be an object.
            case byName = "by-name"
            /// The params must be an array.
            case byPosition = "by-position"
            /// The params can be an object or an array. This is the default of OpenRPC.
            case either
        }

        /// The name of the method in requests.
        public var name: String
        /// A short summary, if the document has one.
        public var summary: String?
        /// A longer description, if the document has one.
        public var description: String?
        /// Whether the method is deprecated. The default of OpenRPC is `false`.
        public var isDeprecated: Bool
        /// The way in which the method accepts its params.
        public var paramStructure: ParamStructure
        /// The params, in the order for params by position.
        public var params: [ContentDescriptor]
        /// The result; `nil` for a notification.
        public var result: ContentDescriptor?
        /// The errors that the document lists for the method.
        public var errors: [ErrorDescription]
    }

    /// The description of a param or a result (OpenRPC 1.3, Content Descriptor Object).
    public struct ContentDescriptor: Sendable, Hashable {
        /// The name. For params by name it is the name of the member.
        public var name: String
        /// A short summary, if the document has one.
        public var summary: String?
        /// A longer description, if the document has one.
        public var description: String?
        /// Whether the param must be given. The default of OpenRPC is `false`.
        public var isRequired: Bool
        /// The schema of the value.
        public var schema: JSONSchema
    }

    /// The description of an error that a method may answer with (OpenRPC 1.3, Error Object).
    public struct ErrorDescription: Sendable, Hashable {
        /// The code of the error object.
        public var code: Int
        /// The message of the error object.
        public var message: String
    }

    /// The version of the OpenRPC specification that the document names, such as `1.3.2`. It is not checked.
    public var openrpc: String
    /// The title of the service.
    public var title: String
    /// The version of the service's description.
    public var version: String
    /// The description of the service, if the document has one.
    public var description: String?
    /// The methods, in the order of the document.
    public var methods: [Method]
    /// The whole document. The references of schemas point into it.
    public var json: JSONValue

    /// Reads a document from a JSON value.
    ///
    /// - Throws: ``OpenRPCError`` if the value is not an OpenRPC document. The description names the invalid part.
    public init(_ json: JSONValue) throws(OpenRPCError) {
        let reader = DocumentReader(document: json)
        let root = try reader.object(json, "the top level")
        self.json = json
        openrpc = try reader.string(root["openrpc"], "openrpc")
        let info = try reader.object(root["info"], "info")
        title = try reader.string(info["title"], "info.title")
        version = try reader.string(info["version"], "info.version")
        description = info["description"]?.stringValue
        guard let methods = root["methods"]?.arrayValue else {
            throw OpenRPCError(expected: "an array", at: "methods", found: root["methods"])
        }
        self.methods = []
        for (index, method) in methods.enumerated() {
            self.methods.append(try reader.method(method, "methods[\(index)]"))
        }
    }

    /// Reads a document from JSON text in UTF-8.
    ///
    /// - Throws: ``OpenRPCError`` if the text is not valid JSON, or not an OpenRPC document.
    public init(parsing bytes: [UInt8]) throws(OpenRPCError) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw OpenRPCError("Could not parse the document. \(error)")
        }
        try self.init(json)
    }
}

/// An error for a document that is not valid OpenRPC, or that code cannot be generated from.
public struct OpenRPCError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem and its place in the document, such as `Expected a string at methods[0].name, found a number.`
    public var description: String

    init(_ description: String) { self.description = description }

    /// Makes the error for a value of the wrong type. `found` is `nil` if there is no value.
    init(expected: String, at place: String, found: JSONValue?) {
        let kind =
            switch found {
            case nil: "nothing"
            case .null: "null"
            case .bool: "a boolean"
            case .number: "a number"
            case .string: "a string"
            case .array: "an array"
            case .object: "an object"
            }
        self.init("Expected \(expected) at \(place), found \(kind).")
    }

    /// Makes the error for a reference to another document.
    init(externalReference reference: String, at place: String) {
        self.init(
            "\(place) refers to another document, \(reference). Only references within the document are supported.")
    }
}
