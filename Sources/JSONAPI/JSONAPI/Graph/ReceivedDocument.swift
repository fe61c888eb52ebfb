// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import WireJSON

/// The text of a document, scanned and checked, and the places of its resources.
///
/// Values are made from these places. The ``RawDocument`` is made on demand only.
struct ReceivedDocument: Sendable {
    enum Shape: Sendable {
        case absent, null, single, collection
    }

    /// The document with all its members, made on demand. Copies of a received document share it.
    private final class Whole: Sendable {
        final class Value: Sendable {
            let document: RawDocument

            init(_ document: RawDocument) { self.document = document }
        }

        let value = AtomicLazyReference<Value>()
    }

    let reader: DocumentReader
    /// The reason why a document that the program has made cannot be read. It then has no resources.
    private(set) var fault: DocumentError?
    private(set) var shape = Shape.absent
    /// The primary resources, then the included ones.
    private(set) var resources: [ResourcePlaces] = []
    private(set) var primaryCount = 0
    private(set) var links = JSONAPILinks()
    private(set) var meta: RawObject?
    private(set) var errors: [JSONAPIErrorObject]?
    private let whole: Whole

    private init(notRead reader: DocumentReader) { (self.reader, whole) = (reader, Whole()) }

    /// Scans and checks a document.
    ///
    /// - Throws: As ``RawDocument/init(parsing:options:)-([UInt8],_)`` does.
    init(parsing bytes: [UInt8], options: DocumentOptions) throws(DocumentError) {
        self = try DocumentReader.reading(bytes[...], options: options) { (reader) throws(DocumentFault) in
            try ReceivedDocument(reader)
        }
    }

    /// Takes over a document that was read or made before.
    init(_ document: RawDocument) {
        do throws(DocumentError) {
            var reader = try DocumentReader(document.rawJSON)
            reader.allowsMissingMembers = true
            self = try reader.reporting { (reader) throws(DocumentFault) in try ReceivedDocument(reader) }
        } catch {
            self.init(notRead: DocumentReader(JSONTree.null))
            fault = error
            (links, meta, errors) = (document.links ?? JSONAPILinks(), document.meta, document.errors)
        }
        _ = whole.value.storeIfNil(Whole.Value(document))
    }

    private init(_ reader: DocumentReader) throws(DocumentFault) {
        self.init(notRead: reader)
        var primary: [ResourcePlaces] = []
        var included: [ResourcePlaces] = []
        _ = try reader.object(0) { (name, value) throws(DocumentFault) in
            switch name {
            case "data": (shape, primary) = try Self.primaryData(value, reader)
            case _ where reader.tree.isNull(value): break
            case "included": included = try reader.checkedResources(value)
            case "links": links = try JSONAPILinks(reading: value, with: reader)
            case "meta": meta = try RawObject(reading: value, with: reader)
            case "errors": errors = try reader.array(value)
            case "jsonapi": _ = try JSONAPIObject(reading: value, with: reader)
            default: break
            }
            return true
        }
        resources = primary + included
        primaryCount = primary.count
    }

    private static func primaryData(
        _ value: Int, _ reader: DocumentReader
    ) throws(DocumentFault) -> (Shape, [ResourcePlaces]) {
        switch reader.tree.entries[value].kind {
        case .null: (.null, [])
        case .object: (.single, [try reader.checkedResource(value)])
        case .array: (.collection, try reader.checkedResources(value))
        default: throw reader.wrongKind([.null, .array, .object], value)
        }
    }

    /// The document with all its members, which is made at the first use.
    var raw: RawDocument {
        if let known = whole.value.load() { return known.document }
        // The document was checked, so there is always a value.
        let document = (try? RawDocument(reading: 0, with: reader)) ?? RawDocument()
        return whole.value.storeIfNil(Whole.Value(document)).document
    }

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
