// swift-jsonrpc · SPDX-License-Identifier: MIT

extension DataSource {
    /// Returns a to-many relationship of the resource with an id.
    public func relationship<T: RelationshipTarget>(
        _ path: KeyPath<R, ToMany<T>>, of id: R.ID
    ) -> ToManyEndpoint<T> {
        ToManyEndpoint(endpoint: endpoint(path, id, nil))
    }

    /// Returns a to-many relationship of a resource, by its link `self`, or else by the path of the strategy.
    public func relationship<T: RelationshipTarget>(
        _ path: KeyPath<R, ToMany<T>>, of resource: R
    ) -> ToManyEndpoint<T> {
        ToManyEndpoint(endpoint: endpoint(path, resource.id, resource[keyPath: path].links["self"]))
    }

    /// Returns a to-one relationship of the resource with an id.
    public func relationship<T: RelationshipTarget>(
        _ path: KeyPath<R, ToOne<T>>, of id: R.ID
    ) -> ToOneEndpoint<T> {
        ToOneEndpoint(endpoint: endpoint(path, id, nil))
    }

    /// Returns a to-one relationship of a resource, by its link `self`, or else by the path of the strategy.
    public func relationship<T: RelationshipTarget>(
        _ path: KeyPath<R, ToOne<T>>, of resource: R
    ) -> ToOneEndpoint<T> {
        ToOneEndpoint(endpoint: endpoint(path, resource.id, resource[keyPath: path].links["self"]))
    }

    /// Returns a request for the resources of a to-many relationship of the resource with an id.
    public func related<T: RelationshipTarget>(
        _ path: KeyPath<R, ToMany<T>>, of id: R.ID
    ) -> ResourceCollectionRequest<T> {
        relatedCollection(path, id, nil)
    }

    /// Returns a request for the resources of a to-many relationship, by its link `related`, or else by the path of the
    /// strategy.
    public func related<T: RelationshipTarget>(
        _ path: KeyPath<R, ToMany<T>>, of resource: R
    ) -> ResourceCollectionRequest<T> {
        relatedCollection(path, resource.id, resource[keyPath: path].links.related)
    }

    /// Returns a request for the resource of a to-one relationship of the resource with an id.
    public func related<T: Resource>(_ path: KeyPath<R, ToOne<T>>, of id: R.ID) -> ResourceRequest<T> {
        relatedResource(path, id, nil)
    }

    /// Returns a request for the resource of a to-one relationship, by its link `related`, or else by the path of the
    /// strategy.
    public func related<T: Resource>(_ path: KeyPath<R, ToOne<T>>, of resource: R) -> ResourceRequest<T> {
        relatedResource(path, resource.id, resource[keyPath: path].links.related)
    }

    private func endpoint(_ path: PartialKeyPath<R>, _ id: R.ID?, _ link: JSONAPILink?) -> LinkageEndpoint {
        let (name, request, fault) = request(path, id, link, RoutedOperation.relationship)
        let owner = ResourceObject(type: R.resourceType, id: id?.rawValue)
        return LinkageEndpoint(owner: owner, name: name, request: request, client: client, fault: fault)
    }

    private func relatedCollection<T: RelationshipTarget>(
        _ path: PartialKeyPath<R>, _ id: R.ID?, _ link: JSONAPILink?
    ) -> ResourceCollectionRequest<T> {
        let (_, request, fault) = request(path, id, link, RoutedOperation.related)
        return ResourceCollectionRequest(request, client: client, options: options, store: store, fault: fault)
    }

    private func relatedResource<T: Resource>(
        _ path: PartialKeyPath<R>, _ id: R.ID?, _ link: JSONAPILink?
    ) -> ResourceRequest<T> {
        let (_, request, fault) = request(path, id, link, RoutedOperation.related)
        var made = ResourceRequest<T>(request, client: client, fault: fault)
        made.options = options
        made.store = store
        return made
    }

    /// Returns the name of the field and a request for it, which has a fault if the property is no field.
    private func request(
        _ path: PartialKeyPath<R>, _ id: R.ID?, _ link: JSONAPILink?, _ operation: (String) -> RoutedOperation
    ) -> (name: String, request: JSONAPIRequest, fault: JSONAPIError?) {
        let name: String
        do {
            name = try R.schema.requiredName(of: path)
        } catch {
            return ("", JSONAPIRequest(path: ""), JSONAPIError(.request, error.description, underlying: error))
        }
        let (request, fault) = request(operation(name), id: id?.rawValue, link: link)
        return (name, request, fault)
    }
}
