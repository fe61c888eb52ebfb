// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import WireJSON

/// The text of a document, which was scanned and checked at once, and the places of its resources.
///
/// Values are made from these places. The ``RawDocument`` is made only if somebody asks for it.
final class ReceivedDocument: Sendable {
    /// The form of the primary data.
    enum Shape: Sendable {
        case absent
        case null
        case single
        case collection
    }

    /// All parts of the document but the `RawDocument`.
    fileprivate struct Parts: Sendable {
        var shape = Shape.absent
        var data: [ResourcePlaces] = []
        var included: [ResourcePlaces] = []
        var links: JSONAPILinks?
        var meta: RawObject?
        var errors: [JSONAPIErrorObject]?
    }

    let reader: DocumentReader
    /// The reason why the document of a program cannot be read. It has no resources then.
    let fault: DocumentError?
    /// The form of the primary data.
    let shape: Shape
    /// The primary resources, then the included ones.
    let resources: [ResourcePlaces]
    /// The number of primary resources.
    let primaryCount: Int
    /// The links of the document.
    let links: JSONAPILinks
    /// Meta information about the document.
    let meta: RawObject?
    /// The errors.
    let errors: [JSONAPIErrorObject]?
    private let whole = AtomicLazyReference<Whole>()

    private final class Whole: Sendable {
        let document: RawDocument

        init(_ document: RawDocument) { self.document = document }
    }

    /// Scans and checks a document.
    ///
    /// - Throws: As ``RawDocument/init(parsing:options:)-([UInt8],_)`` does.
    convenience init(parsing bytes: [UInt8], options: DocumentOptions) throws(DocumentError) {
        let (parts, reader) = try DocumentReader.reading(bytes[...], options: options) {
            (reader) throws(DocumentFault) in (try Parts(reader), reader)
        }
        self.init(parts, reader)
    }

    /// Takes over a document that was read or made before.
    convenience init(_ document: RawDocument) {
        do throws(DocumentError) {
            var reader = try DocumentReader(document.rawJSON)
            reader.allowsMissingMembers = true
            let parts = try reader.reporting { (reader) throws(DocumentFault) in try Parts(reader) }
            self.init(parts, reader, document)
        } catch {
            let parts = Parts(links: document.links, meta: document.meta, errors: document.errors)
            self.init(parts, DocumentReader(JSONTree.null), document, fault: error)
        }
    }

    private init(
        _ parts: Parts, _ reader: DocumentReader, _ document: RawDocument? = nil, fault: DocumentError? = nil
    ) {
        self.reader = reader
        self.fault = fault
        shape = parts.shape
        resources = parts.data + parts.included
        primaryCount = parts.data.count
        links = parts.links ?? JSONAPILinks()
        meta = parts.meta
        errors = parts.errors
        if let document { _ = whole.storeIfNil(Whole(document)) }
    }

    /// The document with all its members, which is made at the first use.
    var raw: RawDocument {
        if let known = whole.load() { return known.document }
        // The document was checked, so there is always a value.
        return whole.storeIfNil(Whole((try? RawDocument(reading: 0, with: reader)) ?? RawDocument())).document
    }

    /// Reads the resource object at a position.
    func object(at position: Int) -> ResourceObject {
        // As above.
        (try? ResourceObject(reading: Int(resources[position].object), with: reader)) ?? ResourceObject(type: "")
    }

    /// The identifier of the resource at a position. Without an id and a local id, it has the type only.
    func identifier(at position: Int) -> ResourceIdentifierObject {
        var places = resources[position]
        places.meta = 0
        return ResourceIdentifierObject(places, with: reader)
    }
}

extension ReceivedDocument.Parts {
    init(_ reader: DocumentReader) throws(DocumentFault) {
        let tree = reader.tree
        try reader.expectObject(0)
        var names = tree.names(in: 0)
        while let name = names.next(in: tree) {
            let value = name + 1
            switch tree.string(at: name) {
            case "data": try readData(value, reader)
            case _ where tree.isNull(value): break
            case "included": included = try reader.checkedResources(value)
            case "links": links = try JSONAPILinks(reading: value, with: reader)
            case "meta": meta = try RawObject(reading: value, with: reader)
            case "errors": errors = try reader.array(value)
            case "jsonapi": _ = try JSONAPIObject(reading: value, with: reader)
            default: break
            }
        }
    }

    private mutating func readData(_ value: Int, _ reader: DocumentReader) throws(DocumentFault) {
        switch reader.tree.entries[value].kind {
        case .null: (shape, data) = (.null, [])
        case .object: (shape, data) = (.single, [try reader.checkedResource(value)])
        case .array: (shape, data) = (.collection, try reader.checkedResources(value))
        default: throw reader.wrongKind([.null, .array, .object], value)
        }
    }
}
