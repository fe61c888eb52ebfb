// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONAPIField where Root: Resource {
    /// The field for a type that has a value of this type as a property.
    func lifted<Outer: Resource>(to path: any WritableKeyPath<Outer, Root> & Sendable) -> JSONAPIField<Outer> {
        let access: FieldAccess<Outer> =
            switch access {
            case .attribute(let access): .attribute(access.lifted(to: path))
            case .relationship(let access): .relationship(access.lifted(to: path))
            }
        let makeInner = makePath
        return JSONAPIField<Outer>(
            name: name, options: options,
            // Joining fails only if the inner path begins elsewhere, which its type excludes.
            makePath: { (path as PartialKeyPath<Outer>).appending(path: makeInner()) ?? path }, access: access)
    }
}

extension AttributeAccess {
    func lifted<Outer: Sendable>(to path: any WritableKeyPath<Outer, Root> & Sendable) -> AttributeAccess<Outer> {
        AttributeAccess<Outer>(
            read: { try self.read($0, $1, &$2[keyPath: path]) },
            write: { try self.write($0[keyPath: path]) },
            isNil: { self.isNil($0[keyPath: path]) },
            isSame: { self.isSame($0[keyPath: path], $1[keyPath: path]) },
            copy: { self.copy($0[keyPath: path], &$1[keyPath: path]) })
    }
}

extension RelationshipAccess {
    func lifted<Outer: Sendable>(to path: any WritableKeyPath<Outer, Root> & Sendable) -> RelationshipAccess<Outer> {
        RelationshipAccess<Outer>(
            isToMany: isToMany,
            targets: targets,
            read: { (reader, object, outer) throws(FieldFault) in
                try self.read(reader, object, &outer[keyPath: path])
            },
            write: { self.write($0[keyPath: path]) },
            isSame: { self.isSame($0[keyPath: path], $1[keyPath: path]) },
            adopt: { self.adopt($0[keyPath: path], &$1[keyPath: path]) },
            bind: { self.bind($0, &$1[keyPath: path]) },
            detach: { self.detach(&$0[keyPath: path]) },
            replace: { self.replace($0, &$1[keyPath: path]) })
    }
}
