// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

/// The description of a JSON-RPC service (OpenRPC 1.3).
///
/// References within the document are resolved when it is read, except those in schemas:
/// ``JSONSchema/Form/reference(_:)``. References to other documents are not supported.
package struct OpenRPCDocument: Sendable {
    package struct Method: Sendable, Hashable {
        /// The way in which a method accepts its params (OpenRPC 1.3, `paramStructure`).
        package enum ParamStructure: String, Sendable {
            case byName = "by-name"
            case byPosition = "by-position"
            /// The params can be an object or an array. This is the default of OpenRPC.
            case either
        }

        package var name: String
        package var summary: String?
        package var description: String?
        package var isDeprecated: Bool
        package var paramStructure: ParamStructure
        /// The params, in the order for params by position.
        package var params: [ContentDescriptor]
        /// The result; `nil` for a notification.
        package var result: ContentDescriptor?
        package var errors: [ErrorDescription]
    }

    /// The description of a param or a result (OpenRPC 1.3, Content Descriptor Object).
    package struct ContentDescriptor: Sendable, Hashable {
        /// The name. For params by name it is the name of the member.
        package var name: String
        package var summary: String?
        package var description: String?
        /// Whether the param must be given. The default of OpenRPC is `false`.
        package var isRequired: Bool
        package var schema: JSONSchema
    }

    /// The description of an error that a method may answer with (OpenRPC 1.3, Error Object).
    package struct ErrorDescription: Sendable, Hashable {
        package var code: Int
        package var message: String
    }

    /// The version of the OpenRPC specification that the document names, such as `1.3.2`. It is not checked.
    package var openrpc: String
    package var title: String
    package var version: String
    package var description: String?
    package var methods: [Method]
    /// The whole document. The references of schemas point into it.
    package var json: JSONValue

    package init(_ json: JSONValue) throws(OpenRPCError) {
        let reader = DocumentReader(document: json)
        let root = try reader.object(json, "the top level")
        self.json = json
        openrpc = try reader.string(root["openrpc"], "openrpc")
        let info = try reader.object(root["info"], "info")
        title = try reader.string(info["title"], "info.title")
        version = try reader.string(info["version"], "info.version")
        description = info["description"]?.stringValue
        methods = []
        for (index, method) in try reader.array(root["methods"], "methods").enumerated() {
            methods.append(try reader.method(method, "methods[\(index)]"))
        }
    }

    /// Reads a document from JSON text in UTF-8.
    package init(parsing bytes: [UInt8]) throws(OpenRPCError) {
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
package struct OpenRPCError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem and its place in the document, such as `Expected a string at methods[0].name, found a number.`
    package var description: String

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
