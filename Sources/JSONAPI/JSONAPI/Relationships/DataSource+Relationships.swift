// swift-jsonrpc · SPDX-License-Identifier: MIT

extension DataSource {
    /// Returns a to-many relationship of the resource with an id.
    public func relationship<T: RelationshipTarget>(_ path: KeyPath<R, ToMany<T>>, of id: R.ID) -> ToManyEndpoint<T> {
        ToManyEndpoint(endpoint: endpoint(path, id))
    }

    /// Returns a to-many relationship of a resource, by its link `self`, or else by the path of the strategy.
    public func relationship<T: RelationshipTarget>(
        _ path: KeyPath<R, ToMany<T>>, of resource: R
    ) -> ToManyEndpoint<T> {
        ToManyEndpoint(endpoint: endpoint(path, resource.id, resource[keyPath: path].links["self"]))
    }

    /// Returns a to-one relationship of the resource with an id.
    public func relationship<T: RelationshipTarget>(_ path: KeyPath<R, ToOne<T>>, of id: R.ID) -> ToOneEndpoint<T> {
        ToOneEndpoint(endpoint: endpoint(path, id))
    }

    /// Returns a to-one relationship of a resource, by its link `self`, or else by the path of the strategy.
    public func relationship<T: RelationshipTarget>(_ path: KeyPath<R, ToOne<T>>, of resource: R) -> ToOneEndpoint<T> {
        ToOneEndpoint(endpoint: endpoint(path, resource.id, resource[keyPath: path].links["self"]))
    }

    /// Returns a request for the resources of a to-many relationship, at the strategy's path for the id of a resource.
    public func related<T: RelationshipTarget>(
        _ path: KeyPath<R, ToMany<T>>, of id: R.ID
    ) -> ResourceCollectionRequest<T> {
        collection(request(path, id, RoutedOperation.related))
    }

    /// Returns a request for the resources of a to-many relationship, at its link `related` or the strategy's path.
    public func related<T: RelationshipTarget>(
        _ path: KeyPath<R, ToMany<T>>, of resource: R
    ) -> ResourceCollectionRequest<T> {
        collection(request(path, resource.id, RoutedOperation.related, resource[keyPath: path].links.related))
    }

    /// Returns a request for the resource of a to-one relationship of the resource with an id.
    public func related<T: Resource>(_ path: KeyPath<R, ToOne<T>>, of id: R.ID) -> ResourceRequest<T> {
        single(request(path, id, RoutedOperation.related))
    }

    /// Returns a request for the resource of a to-one relationship, at its link `related` or the strategy's path.
    public func related<T: Resource>(_ path: KeyPath<R, ToOne<T>>, of resource: R) -> ResourceRequest<T> {
        single(request(path, resource.id, RoutedOperation.related, resource[keyPath: path].links.related))
    }

    private func endpoint(_ path: PartialKeyPath<R>, _ id: R.ID?, _ link: JSONAPILink? = nil) -> LinkageEndpoint {
        LinkageEndpoint(
            owner: ResourceObject(type: R.resourceType, id: id?.rawValue), name: R.schema.name(of: path) ?? "",
            request: request(path, id, RoutedOperation.relationship, link), client: client)
    }

    /// Returns a request for a relationship, which has a fault if the property is not a field.
    private func request(
        _ path: PartialKeyPath<R>, _ id: R.ID?, _ operation: (String) -> RoutedOperation, _ link: JSONAPILink? = nil
    ) -> JSONAPIRequest {
        do {
            return request(operation(try R.schema.requiredName(of: path)), id: id?.rawValue, link: link)
        } catch {
            var request = JSONAPIRequest(path: "")
            request.fault = JSONAPIError(.request, error.description, underlying: error)
            return request
        }
    }
}
