// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The atomic operations extension of JSON:API.
public enum AtomicOperations {
    /// The URI of the extension.
    public static let uri = "https://jsonapi.org/ext/atomic"

    static let operations = "atomic:operations"
    static let results = "atomic:results"
}

/// One operation of a request (extension "Atomic Operations", "Operation Objects").
public struct AtomicOperation: Sendable, Hashable {
    /// A code that tells what to do.
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

        /// Creates a reference.
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

    /// The code.
    public var code: Code
    /// The target, or `nil` if the data tell it.
    public var target: Target?
    /// The resource or the linkage, or `nil` for none.
    public var data: PrimaryData?
    /// Meta information about the operation.
    public var meta: RawObject?

    /// Creates an operation.
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
