// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
public import WireJSON

/// The atomic operations extension of JSON:API.
public enum AtomicOperations {
    /// The URI of the extension.
    public static let uri = "https://jsonapi.org/ext/atomic"

    static let operations = "atomic:operations"
    static let results = "atomic:results"
}

/// One operation of a request (extension "Atomic Operations", "Operation Objects").
public struct AtomicOperation: Sendable, Hashable {
    /// The kind of an operation.
    public enum Code: String, Sendable, Hashable {
        /// Creates a resource, or adds members to a to-many relationship.
        case add
        /// Updates a resource or a relationship.
        case update
        /// Deletes a resource, or removes members from a to-many relationship.
        case remove
    }

    /// A resource or a relationship.
    public struct Reference: Sendable, Hashable {
        /// The type.
        public var type: String
        /// The id, or `nil` if there is a local id.
        public var id: String?
        /// The local id of a resource that the same request creates.
        public var lid: String?
        /// The name of the relationship, or `nil` for the resource.
        public var relationship: String?

        public init(type: String, id: String? = nil, lid: String? = nil, relationship: String? = nil) {
            self.type = type
            self.id = id
            self.lid = lid
            self.relationship = relationship
        }
    }

    /// The target of an operation.
    public enum Target: Sendable, Hashable {
        /// The member `ref`.
        case reference(Reference)
        /// The member `href`: a URL reference.
        case href(String)
    }

    /// The kind.
    public var code: Code
    /// The target, or `nil` if the data identify it.
    public var target: Target?
    /// The resource or the linkage, or `nil` for none.
    public var data: PrimaryData?
    /// Meta information about the operation.
    public var meta: RawObject?

    public init(_ code: Code, target: Target? = nil, data: PrimaryData? = nil, meta: RawObject? = nil) {
        self.code = code
        self.target = target
        self.data = data
        self.meta = meta
    }
}

extension AtomicOperation: WritablePart {
    func write(to output: inout JSONOutput) {
        output.object { object in
            object.member("op", code.rawValue)
            switch target {
            case .reference(let reference): object.member("ref", reference)
            case .href(let href): object.member("href", href)
            case nil: break
            }
            object.member("data", data)
            object.member("meta", meta)
        }
    }
}

extension AtomicOperation.Reference: WritablePart {
    func write(to output: inout JSONOutput) {
        output.object { object in
            object.member("type", type)
            object.member("id", id)
            object.member("lid", lid)
            object.member("relationship", relationship)
        }
    }
}

/// The result of one operation (extension "Atomic Operations", "Result Objects").
public struct AtomicResult: Sendable, Hashable {
    /// The resource, or `nil` if the server returns none.
    public var data: PrimaryData?
    /// Meta information about the result.
    public var meta: RawObject?

    /// Creates a result. By default, it is empty.
    public init(data: PrimaryData? = nil, meta: RawObject? = nil) {
        self.data = data
        self.meta = meta
    }
}

extension AtomicResult: DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        self.init()
        _ = try reader.object(index) { (name, value) throws(DocumentFault) in
            switch name {
            case "data": data = try PrimaryData(reading: value, with: reader)
            case "meta" where !reader.tree.isNull(value): meta = try RawObject(reading: value, with: reader)
            default: return false
            }
            return true
        }
    }

    func write(to output: inout JSONOutput) {
        output.object { object in
            object.member("data", data)
            object.member("meta", meta)
        }
    }
}

extension RawDocument {
    /// Creates the document of a request with operations.
    public init(operations: [AtomicOperation]) {
        self.init(additionalMembers: [AtomicOperations.operations: RawJSON { $0.array(operations) }])
    }

    package init(results: [AtomicResult]) {
        self.init(additionalMembers: [AtomicOperations.results: RawJSON { $0.array(results) }])
    }

    /// Reads the results of operations. They are `nil` if the document has none.
    ///
    /// - Throws: A ``DocumentError`` for results that cannot be read.
    public func atomicResults() throws(DocumentError) -> [AtomicResult]? {
        guard let json = additionalMembers[AtomicOperations.results] else { return nil }
        do throws(DocumentError) {
            return try DocumentReader(json).reporting { (reader) throws(DocumentFault) in try reader.array(0) }
        } catch {
            throw DocumentError(error.reason, at: JSONPointer([AtomicOperations.results] + error.pointer.tokens))
        }
    }
}

extension JSONAPIRequest {
    /// Creates a request that performs operations, all of them or none.
    public init(path: String, operations: [AtomicOperation]) {
        self.init(path: path, method: .post, body: RawDocument(operations: operations))
        extensions = [AtomicOperations.uri]
    }
}

extension JSONAPISender {
    /// Performs operations, all of them or none, at a path below the base URL of the API. If there are no operations,
    /// no request is sent.
    ///
    /// - Returns: One result for each operation, in order. The results have no data if the status is 204.
    /// - Throws: A ``JSONAPIError``. ``JSONAPIError/operationIndex(of:)`` identifies the failed operation.
    public func perform(_ operations: [AtomicOperation], path: String) async throws(JSONAPIError) -> [AtomicResult] {
        guard !operations.isEmpty else { return [] }
        let response = try await send(JSONAPIRequest(path: path, operations: operations))
        return try response.atomicResults(count: operations.count)
    }
}

extension ServerResponse {
    func atomicResults(count: Int) throws(JSONAPIError) -> [AtomicResult] {
        let results = try JSONAPIError.translating(.document, self) { try document?.atomicResults() }
        guard let results else { return Array(repeating: AtomicResult(), count: count) }
        guard results.count == count else {
            let message = "The server returned \(results.count) results for \(count) operations."
            throw JSONAPIError(.document, message, response: self)
        }
        return results
    }
}

extension JSONAPIError {
    /// Returns the position of the operation that a server's error is about, or `nil` if it has no pointer into one.
    public func operationIndex(of error: JSONAPIErrorObject) -> Int? { operationPlace(of: error)?.index }

    /// Returns the position of the operation, and the place within it, that an error of a server is about.
    public func operationPlace(of error: JSONAPIErrorObject) -> (index: Int, pointer: JSONPointer)? {
        guard let tokens = error.source?.pointer.flatMap({ JSONPointer(parsing: $0) })?.tokens, tokens.count > 1,
            tokens[0] == AtomicOperations.operations, let index = JSONPointer.index(tokens[1])
        else { return nil }
        return (index, JSONPointer(Array(tokens.dropFirst(2))))
    }
}
