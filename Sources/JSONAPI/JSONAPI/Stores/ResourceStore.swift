// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The latest known state of resources, across documents.
///
/// ```swift
/// let store = ResourceStore()
/// let articles = DataSource<Article>(client: client, store: store)
/// let page = try await articles.search().include { [$0.authors] }.result()
/// let dan = try await store.resource(Person.ID("9"))    // came with the articles
/// for try await article in await store.changes(of: Article.ID("1")) {
///     print(article?.title ?? "deleted")
/// }
/// ```
///
/// A store is optional: without one, each document stands alone. A store has the documents that the program inserts,
/// and the responses of the data sources that use it.
///
/// - **Merging.** A newer document replaces the members of a stored resource one by one. A field that the newer
///   document lacks, as with sparse fieldsets, keeps its value. A field that is `null` becomes `null`.
/// - **Values.** The store returns values. A changed value reaches the store only after the server has confirmed it in
///   the response to a request of a data source.
/// - **Identity.** Only resources with a type and an id are kept. A local id identifies nothing outside its document.
/// - **Memory.** Beyond its limits, a store drops the resources that were not used for the longest time. A resource is
///   used when it is inserted or returned, directly or as a related resource. There is a limit of resources, and one of
///   the bytes of their JSON text; in memory, a resource with many short members or references takes several times its
///   text. A document is inserted as a whole before the store drops any. A resource that would be larger than an eighth
///   of the limit of bytes after merging keeps only what the newest document has.
///
/// Changes at a relationship's own URL (``ToManyEndpoint``, ``ToOneEndpoint``) and atomic operations bypass the store.
public actor ResourceStore {
    /// The maximum number of resources.
    public nonisolated let limit: Int
    /// The maximum number of bytes of the JSON text of all resources.
    public nonisolated let byteLimit: Int
    /// The rules for making values of the resources.
    public nonisolated let options: ResourceOptions

    private struct Entry {
        var object: ResourceObject
        /// The memory for its JSON text.
        var bytes: Int
        /// The time of its last use, by ``clock``.
        var used: UInt64
    }

    private var entries: [ResourceKey: Entry] = [:]
    /// The sum for all entries.
    private var bytes = 0
    private var clock: UInt64 = 0
    private var observers: [ResourceKey: [UInt64: AsyncStream<Snapshot?>.Continuation]] = [:]
    private var nextObserver: UInt64 = 0

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of resources, at least 1. Resources whose changes are observed are kept beyond it.
    ///   - byteLimit: The maximum number of bytes of the JSON text of all resources. The default is 64 MiB. Resources
    ///     whose changes are observed are kept beyond it.
    ///   - options: The rules for making values of the resources. A stored resource can lack required fields.
    public init(limit: Int = 100_000, byteLimit: Int = 64 << 20, options: ResourceOptions = ResourceOptions()) {
        self.limit = max(1, limit)
        self.byteLimit = max(0, byteLimit)
        self.options = options
    }

    deinit {
        for observer in observers.values.flatMap(\.values) { observer.finish() }
    }

    /// The number of resources.
    public var count: Int { entries.count }

    // MARK: Reading

    /// Returns a resource, or `nil` if the store lacks it.
    ///
    /// Its relationships refer to the resources that the store has now, in cycles and to any depth. It takes time
    /// proportional to the number of resources that can be reached from it.
    ///
    /// - Throws: A ``ResourceError`` if the resource, or one that can be reached from it, does not fit its type.
    public func resource<R: Resource>(_ id: ResourceID<R>) throws(ResourceError) -> R? {
        try snapshot(ResourceKey(type: R.resourceType, id: id.rawValue))?.resource(id, options)
    }

    /// Returns the resource object, or `nil` if the store lacks it.
    public func resourceObject(type: String, id: String) -> ResourceObject? {
        let key = ResourceKey(type: type, id: id)
        use(key)
        return entries[key]?.object
    }

    /// Returns the current value of a resource, and one after each update. It is `nil` while the resource is absent.
    ///
    /// A slow consumer gets only the latest value. The values are made in the consumer's task, which throws a
    /// ``ResourceError`` if one does not fit its type. Changes of related resources alone produce no value. The
    /// sequence ends with the store. Leaving the loop ends the observation.
    public func changes<R: Resource>(of id: ResourceID<R>) -> some AsyncSequence<R?, any Error> & Sendable {
        let key = ResourceKey(type: R.resourceType, id: id.rawValue)
        let (stream, continuation) = AsyncStream.makeStream(
            of: Optional<Snapshot>.self, bufferingPolicy: .bufferingNewest(1))
        let number = nextObserver
        nextObserver += 1
        observers[key, default: [:]][number] = continuation
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            Task { await self.removeObserver(number, of: key) }
        }
        continuation.yield(snapshot(key))
        return stream.map { [options] snapshot in try snapshot?.resource(id, options) }
    }

    /// The number of loops over ``changes(of:)``.
    var observerCount: Int { observers.values.reduce(0) { $0 + $1.count } }

    private func removeObserver(_ number: UInt64, of key: ResourceKey) {
        observers[key]?[number] = nil
        if observers[key]?.isEmpty == true { observers[key] = nil }
        dropUnused()
    }

    // MARK: Changing

    /// Inserts the resources of a document: the primary data and `included`.
    public func insert(_ document: JSONAPIDocument) { insert(document.raw) }

    /// Inserts the resources of a document: the primary data and `included`. Mere identifiers are ignored.
    public func insert(_ document: RawDocument) {
        // Primary data come last, because they win over a copy in `included`.
        insert((document.included ?? []) + (document.data?.resources ?? []))
    }

    /// Merges resources that the server has sent or confirmed, in order.
    func insert(_ objects: [ResourceObject]) {
        var copies: [ResourceKey: [ResourceObject]] = [:]
        for object in objects {
            if let key = object.key, !object.isBare { copies[key, default: []].append(object) }
        }
        for (key, copies) in copies { merge(copies, key) }
        dropUnused()
        tell(Set(copies.keys))
    }

    /// Removes a resource. References to it are kept, and have no value.
    public func remove<R: Resource>(_ id: ResourceID<R>) { remove(type: R.resourceType, id: id.rawValue) }

    /// Removes a resource. References to it are kept, and have no value.
    public func remove(type: String, id: String) {
        let key = ResourceKey(type: type, id: id)
        if drop(key) { tell([key]) }
    }

    /// Removes all resources. Loops over `changes(of:)` get `nil`.
    public func removeAll() {
        let keys = Set(entries.keys)
        entries.removeAll()
        bytes = 0
        tell(keys)
    }

    /// Merges the copies of a resource in a document, in order. The resource is read and written once for all copies.
    private func merge(_ copies: [ResourceObject], _ key: ResourceKey) {
        let new = ResourceObject(type: key.type, id: key.id)
        var (object, size) = (entries[key]?.object ?? new).merged(with: copies).detached()
        // It has outgrown its share, so it begins anew.
        if size > byteLimit / 8, drop(key) { (object, size) = new.merged(with: copies).detached() }
        clock += 1
        drop(key)
        entries[key] = Entry(object: object, bytes: size, used: clock)
        bytes += size
    }

    /// Removes an entry. It returns whether there was one.
    @discardableResult
    private func drop(_ key: ResourceKey) -> Bool {
        guard let entry = entries.removeValue(forKey: key) else { return false }
        bytes -= entry.bytes
        return true
    }

    private func tell(_ keys: Set<ResourceKey>) {
        guard !observers.isEmpty else { return }
        for key in keys {
            guard let observers = observers[key] else { continue }
            let snapshot = snapshot(key)
            for observer in observers.values { observer.yield(snapshot) }
        }
    }

    // MARK: Memory

    private func use(_ key: ResourceKey) {
        clock += 1
        entries[key]?.used = clock
    }

    /// Drops the resources that were not used for the longest time. It drops an eighth more, so that searches are rare.
    private func dropUnused() {
        guard entries.count > limit || bytes > byteLimit else { return }
        let candidates = entries.filter { observers[$0.key] == nil }.map { (key: $0.key, used: $0.value.used) }
        let (count, size) = (limit - limit / 8, byteLimit - byteLimit / 8)
        for (key, _) in candidates.sorted(by: { $0.used < $1.used }) {
            guard entries.count > count || bytes > size else { return }
            drop(key)
        }
    }

    // MARK: Snapshots

    /// A resource, and the resources that can be reached from it.
    private struct Snapshot: Sendable {
        var object: ResourceObject
        var included: [ResourceObject]

        func resource<R: Resource>(_ id: ResourceID<R>, _ options: ResourceOptions) throws(ResourceError) -> R? {
            var options = options
            // Each resource may lack any field.
            for type in Set(included.map(\.type)).union([object.type]) where options.fieldsets[type] == nil {
                options.fieldsets[type] = []
            }
            let document = RawDocument(data: .single(object), included: included)
            return try JSONAPIDocument(document, options: options).resource(id)
        }
    }

    private func snapshot(_ key: ResourceKey) -> Snapshot? {
        guard let object = entries[key]?.object else { return nil }
        use(key)
        var reached: Set<ResourceKey> = [key]
        var included: [ResourceObject] = []
        var open = [object]
        while let next = open.popLast() {
            for (_, relationship) in next.relationships?.members ?? [:] {
                for identifier in relationship.data?.identifiers ?? [] {
                    guard let key = identifier.key, let related = entries[key]?.object, reached.insert(key).inserted
                    else { continue }
                    use(key)
                    included.append(related)
                    open.append(related)
                }
            }
        }
        return Snapshot(object: object, included: included)
    }
}

extension ResourceObject {
    /// Returns the object with bytes of its own, and their number. Otherwise it would keep its whole document.
    fileprivate func detached() -> (ResourceObject, Int) {
        let written = rawJSON.bytes
        // The writer leaves spare capacity.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(written.count)
        bytes += written
        // Written objects can be read, so the fallback is not used.
        return ((try? ResourceObject(json: RawJSON(unchecked: bytes))) ?? self, bytes.capacity)
    }

    /// Returns the object with the members of newer copies, in order.
    fileprivate func merged(with copies: [ResourceObject]) -> ResourceObject {
        var merged = self
        var attributes = merged.attributes?.members
        for copy in copies {
            if let newer = copy.attributes {
                var members = attributes ?? [:]
                for (name, value) in newer.members { members[name] = value }
                attributes = members
            }
            merged.mergeAllButAttributes(copy)
        }
        merged.attributes = attributes.map { RawObject(members: $0) }
        return merged
    }

    /// Takes over the members of a newer object of the same resource. Members that it lacks are kept.
    fileprivate mutating func mergeAllButAttributes(_ newer: ResourceObject) {
        if let newer = newer.relationships {
            var merged = relationships ?? Relationships()
            for (name, relationship) in newer.members {
                var known = merged[name] ?? RelationshipObject()
                known.merge(relationship)
                merged[name] = known
            }
            for (name, value) in newer.additionalMembers { merged.additionalMembers[name] = value }
            relationships = merged
        }
        if let newer = newer.links { links = newer }
        if let newer = newer.meta { meta = newer }
        for (name, value) in newer.additionalMembers { additionalMembers[name] = value }
    }
}

extension RelationshipObject {
    fileprivate mutating func merge(_ newer: RelationshipObject) {
        if let newer = newer.data { data = newer }
        if let newer = newer.links { links = newer }
        if let newer = newer.meta { meta = newer }
        for (name, value) in newer.additionalMembers { additionalMembers[name] = value }
    }
}
