// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The places of the resources in the text of a document, which was checked but not read.
///
/// Only plain documents have an outline: those in which nothing is unusual, and which ``RawDocument`` certainly reads. The rules are
/// in ``OutlineCheck``. Every other document is read as a ``RawDocument``, which finds its faults.
struct DocumentOutline: Sendable {
    /// The form of the primary data.
    enum Shape: Sendable {
        case absent
        case null
        case single
        case collection
    }

    let tree: JSONTree
    let shape: Shape
    /// The primary resources, then the included ones.
    let resources: [ResourceOutline]
    /// The number of primary resources.
    let primaryCount: Int
    let links: Links?
    let meta: RawObject?

    /// Checks a document. It is `nil` if the document is not plain, or if it is not JSON.
    init?(parsing bytes: ArraySlice<UInt8>, options: DocumentOptions) {
        guard !options.refusesViolations, bytes.count < Int(Int32.max),
            let tree = try? JSONTree(parsing: bytes, limits: options.limits), tree.entries[0].kind == .object
        else { return nil }
        self.tree = tree
        var check = OutlineCheck(tree: tree)
        guard check.document() else { return nil }
        shape = check.shape
        resources = check.data + check.included
        primaryCount = check.data.count
        links = check.links
        meta = check.meta
    }

    /// Reads the whole document.
    func rawDocument() -> RawDocument {
        // A plain document is readable, so there is always a value.
        (try? RawDocument(reading: tree.json(at: 0), with: DocumentReader())) ?? RawDocument()
    }

    /// The identifier of the resource at a position. Without an id and a local id, it has the type only.
    func identifier(at position: Int) -> ResourceIdentifierObject {
        let resource = resources[position]
        return ResourceIdentifierObject(
            type: tree.string(at: Int(resource.type)) ?? "",
            id: resource.id == 0 ? nil : tree.string(at: Int(resource.id)),
            lid: resource.lid == 0 ? nil : tree.string(at: Int(resource.lid)))
    }

    /// Reads a resource object.
    func object(at position: Int) -> ResourceObject {
        // As above.
        (try? ResourceObject(reading: tree.json(at: Int(resources[position].object)), with: DocumentReader()))
            ?? ResourceObject(type: "")
    }
}
