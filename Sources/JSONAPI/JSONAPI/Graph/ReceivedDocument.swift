// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import WireJSON

/// The text of a document, which was checked at once. A plain document is read as a ``RawDocument`` only if somebody asks for it.
final class ReceivedDocument: Sendable {
    /// The places of the resources, if the document is plain.
    let outline: DocumentOutline?
    private let readDocument: Mutex<RawDocument?>

    /// Checks a document.
    ///
    /// - Throws: As ``RawDocument/init(parsing:options:)-([UInt8],_)`` does.
    init(parsing bytes: [UInt8], options: DocumentOptions) throws(DocumentError) {
        outline = DocumentOutline(parsing: bytes[...], options: options)
        readDocument = Mutex(outline == nil ? try RawDocument(parsing: bytes, options: options) : nil)
    }

    /// A document that was read before.
    init(_ document: RawDocument) {
        outline = nil
        readDocument = Mutex(document)
    }

    /// The document with all its members, which is made at the first use.
    var raw: RawDocument {
        if let document = readDocument.withLock({ $0 }) { return document }
        let document = outline?.rawDocument() ?? RawDocument()
        readDocument.withLock { $0 = document }
        return document
    }

    /// The form of the primary data.
    var shape: DocumentOutline.Shape {
        if let outline { return outline.shape }
        return switch raw.data {
        case nil: .absent
        case .single(nil): .null
        case .single: .single
        case .collection: .collection
        }
    }

    /// The links of the document.
    var links: Links { (outline == nil ? raw.links : outline?.links) ?? Links() }

    /// Meta information about the document.
    var meta: RawObject? { outline == nil ? raw.meta : outline?.meta }

    /// The errors. A plain document has none.
    var errors: [JSONAPIErrorObject]? { outline == nil ? raw.errors : nil }
}
