// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The resources and the identifiers of a document, for the rules about their relations.
struct LinkageRecord {
    struct Identity {
        var path: [String]
        var identifier: ResourceIdentifierObject

        init?(_ object: JSONObject, at path: [String]) {
            guard let type = object["type"]?.stringValue else { return nil }
            self.path = path
            identifier = ResourceIdentifierObject(
                type: type, id: object["id"]?.stringValue, lid: object["lid"]?.stringValue)
        }

        var keys: [ResourceKey] { [identifier.key, identifier.localKey].compactMap(\.self) }
    }

    struct Resource {
        var identity: Identity
        var isPrimary: Bool
        /// Whether it is in the primary data and can be an identifier: without attributes, relationships and links.
        var isIdentifier: Bool
        /// The range of its identifiers in ``LinkageRecord/identifiers``.
        var identifiers: Range<Int>
    }

    private(set) var resources: [Resource] = []
    private(set) var identifiers: [Identity] = []

    mutating func add(_ resource: JSONObject, at path: [String], isPrimary: Bool) {
        guard let identity = Identity(resource, at: path) else { return }
        let end = identifiers.count
        let isBare = ["attributes", "relationships", "links"].allSatisfy { resource[$0] == nil }
        resources.append(
            Resource(
                identity: identity, isPrimary: isPrimary, isIdentifier: isPrimary && isBare, identifiers: end..<end))
    }

    mutating func add(_ identifier: JSONObject, at path: [String]) {
        guard let identity = Identity(identifier, at: path), let last = resources.indices.last else { return }
        identifiers.append(identity)
        resources[last].identifiers = resources[last].identifiers.lowerBound..<identifiers.count
    }

    /// The positions of the included resources that no chain of linkage connects with the primary data.
    func unlinked() -> [Int] {
        var positions: [ResourceKey: [Int]] = [:]
        for (position, resource) in resources.enumerated() {
            for key in resource.identity.keys { positions[key, default: []].append(position) }
        }
        var isLinked = resources.map(\.isPrimary)
        var open = resources.indices.filter { isLinked[$0] }
        while let position = open.popLast() {
            // An identifier in the primary data links to the included resource like any other identifier.
            for identity in [resources[position].identity] + identifiers[resources[position].identifiers] {
                for key in identity.keys {
                    for target in positions.removeValue(forKey: key) ?? [] where !isLinked[target] {
                        isLinked[target] = true
                        open.append(target)
                    }
                }
            }
        }
        return resources.indices.filter { !isLinked[$0] }
    }
}

extension LintPass {
    /// Checks the relations between resources, after all of them are known.
    mutating func checkLinkage() {
        checkDuplicates()
        if !linter.allowsPartialLinkage {
            for position in linkage.unlinked() {
                let identity = linkage.resources[position].identity
                report(.fullLinkage, "no resource links to the included resource", path: identity.path)
            }
        }
        checkLocalIDs()
    }

    /// An identifier in the primary data does not count as a duplicate of an included resource.
    private mutating func checkDuplicates() {
        var objects: Set<ResourceKey> = []
        var identifiers: Set<ResourceKey> = []
        for resource in linkage.resources {
            let identity = resource.identity
            guard let key = identity.keys.first else { continue }
            var isRepeated = resource.isPrimary && (objects.contains(key) || identifiers.contains(key))
            if resource.isIdentifier {
                identifiers.insert(key)
            } else if !objects.insert(key).inserted {
                isRepeated = true
            }
            guard isRepeated else { continue }
            report(
                .duplicateResource, "the document has another resource with type `\(key.type)` and id `\(key.id)`",
                path: identity.path)
        }
    }

    /// A resource with an id has the same `lid` everywhere. An identifier with only a `lid` needs a resource with it.
    private mutating func checkLocalIDs() {
        var lids: [ResourceKey: String] = [:]
        var known: Set<ResourceKey> = []
        for identity in linkage.resources.map(\.identity) {
            let identifier = identity.identifier
            if let key = identifier.key, let lid = identifier.lid, lids[key] == nil { lids[key] = lid }
            if let key = identifier.localKey { known.insert(key) }
        }
        for identity in linkage.resources.map(\.identity) + linkage.identifiers {
            if let key = identity.identifier.key {
                if lids[key] != identity.identifier.lid {
                    report(
                        .localIDConsistency, "the `lid` differs from that of another representation of the resource",
                        path: identity.path)
                }
            } else if let key = identity.identifier.localKey, !known.contains(key) {
                report(.localIDConsistency, "no resource has the type and the `lid`", path: identity.path)
            }
        }
    }
}
