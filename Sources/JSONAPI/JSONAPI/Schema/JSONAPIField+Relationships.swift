// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONAPIField where Root: Resource {
    /// A to-one relationship.
    ///
    /// - Parameters:
    ///   - name: The name in documents.
    ///   - path: The property.
    ///   - options: Options of the field. By default, there are none.
    public static func relationship<T: RelationshipTarget>(
        _ name: String, _ path: any WritableKeyPath<Root, ToOne<T>> & Sendable, _ options: FieldOptions = []
    ) -> JSONAPIField {
        relationship(name, path, options, isToMany: false) { T.resourceTypes }
    }

    /// A to-many relationship.
    ///
    /// - Parameters:
    ///   - name: The name in documents.
    ///   - path: The property.
    ///   - options: Options of the field. By default, there are none.
    public static func relationship<T: RelationshipTarget>(
        _ name: String, _ path: any WritableKeyPath<Root, ToMany<T>> & Sendable, _ options: FieldOptions = []
    ) -> JSONAPIField {
        relationship(name, path, options, isToMany: true) { T.resourceTypes }
    }

    private static func relationship<V: RelationshipProperty>(
        _ name: String, _ path: any WritableKeyPath<Root, V> & Sendable, _ options: FieldOptions, isToMany: Bool,
        targets: @escaping @Sendable () -> [any Resource.Type]
    ) -> JSONAPIField {
        let access = RelationshipAccess<Root>(
            isToMany: isToMany,
            targets: targets,
            read: { (reader, object, root) throws(FieldFault) in try root[keyPath: path].read(reader, at: object) },
            write: { $0[keyPath: path].toRelationshipObject() },
            isSame: { !$1[keyPath: path].differs(from: $0[keyPath: path]) },
            adopt: { $1[keyPath: path].adopt($0[keyPath: path]) },
            bind: { $1[keyPath: path].graph = $0 },
            detach: { $0[keyPath: path].details = $0[keyPath: path].details?.detached },
            replace: { $1[keyPath: path].replaceLocalIDs($0) })
        return JSONAPIField(name: name, options: options, makePath: { path }, access: .relationship(access))
    }
}
