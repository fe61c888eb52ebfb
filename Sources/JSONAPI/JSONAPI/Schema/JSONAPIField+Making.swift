// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

extension JSONAPIField {
    /// An attribute with the given name in documents.
    public static func attribute<V: Codable & Equatable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, V> & Sendable, _ options: FieldOptions = []
    ) -> JSONAPIField {
        attribute(name, path, options, read: { try $0.attribute(at: $1) }, write: { try RawJSON(encoding: $0) })
    }

    /// An attribute that can be `null`. The property is `nil` if the attribute is `null` or absent.
    public static func attribute<V: Codable & Equatable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, V?> & Sendable, _ options: FieldOptions = []
    ) -> JSONAPIField {
        optional(name, path, options, read: { try $0.attribute(at: $1) }, write: { try RawJSON(encoding: $0) })
    }

    /// An attribute of an unsuitable type. The compiler's error names the types to use.
    @available(
        *, unavailable,
        message: """
            the type of an attribute must be 'Codable', 'Equatable' and 'Sendable': use 'JSONObject' of WireJSON in place \
            of '[String: Any]', and 'JSONValue' in place of 'Any'
            """
    )
    @_disfavoredOverload
    public static func attribute<V>(
        _ name: String, _ path: any WritableKeyPath<Root, V> & Sendable, _ options: FieldOptions = []
    ) -> JSONAPIField {
        // The compiler refuses each call.
        preconditionFailure("unavailable")
    }

    /// An attribute that a transform converts.
    public static func attribute<T: AttributeTransform>(
        _ name: String, _ path: any WritableKeyPath<Root, T.Value> & Sendable, via: T.Type, _ options: FieldOptions = []
    ) -> JSONAPIField {
        attribute(
            name, path, options, read: { try T.decode(try $0.attribute(at: $1)) },
            write: { try RawJSON(encoding: T.encode($0)) })
    }

    /// An attribute that can be `null` and that a transform converts. The property is `nil` if the attribute is `null`
    /// or absent. The transform does not see `null`.
    public static func attribute<T: AttributeTransform>(
        _ name: String, _ path: any WritableKeyPath<Root, T.Value?> & Sendable, via: T.Type,
        _ options: FieldOptions = []
    ) -> JSONAPIField {
        optional(
            name, path, options, read: { try T.decode(try $0.attribute(at: $1)) },
            write: { try RawJSON(encoding: T.encode($0)) })
    }

    private static func attribute<V: Equatable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, V> & Sendable, _ options: FieldOptions,
        read: @escaping @Sendable (JSONTree, Int) throws -> V, write: @escaping @Sendable (V) throws -> RawJSON,
        isNil: @escaping @Sendable (V) -> Bool = { _ in false }
    ) -> JSONAPIField {
        let access = AttributeAccess(path, read: read, write: write, isNil: isNil)
        return JSONAPIField(name: name, options: options, makePath: { path }, access: .attribute(access))
    }

    private static func optional<V: Equatable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, V?> & Sendable, _ options: FieldOptions,
        read: @escaping @Sendable (JSONTree, Int) throws -> V, write: @escaping @Sendable (V) throws -> RawJSON
    ) -> JSONAPIField {
        attribute(
            name, path, options, read: { $0.isNull($1) ? nil : try read($0, $1) },
            write: { try $0.map(write) ?? .null }, isNil: { $0 == nil })
    }
}

extension JSONTree {
    /// Decodes an attribute.
    ///
    /// - Throws: A ``FieldFault`` if the value does not fit, or the error of the type's `init(from:)`.
    fileprivate func attribute<V: Decodable>(at index: Int) throws -> V {
        do {
            return try decode(V.self, at: index)
        } catch let error as DecodingError {
            throw FieldFault(error, type: V.self, found: kind(at: index))
        }
    }
}

extension FieldFault {
    /// The fault of a value that does not fit its type. The pointer is that of the value inside the attribute.
    init(_ error: DecodingError, type: Any.Type, found: JSONKind) {
        let (context, expected): (DecodingError.Context, Any.Type) =
            switch error {
            case .typeMismatch(let type, let context): (context, type)
            case .valueNotFound(let type, let context): (context, type)
            case .keyNotFound(_, let context), .dataCorrupted(let context): (context, type)
            @unknown default: (.init(codingPath: [], debugDescription: "the value does not fit"), type)
            }
        if let fault = context.underlyingError as? FieldFault {
            self = fault
            pointer.tokens.insert(contentsOf: context.codingPath.map(Self.token), at: 0)
            return
        }
        reason = .unreadableAttribute(type: "\(expected)", found: found, description: context.debugDescription)
        pointer = JSONPointer(context.codingPath.map(Self.token))
    }

    private static func token(_ key: any CodingKey) -> String { key.intValue.map(String.init) ?? key.stringValue }
}

extension JSONAPIField where Root: Resource {
    /// A to-one relationship with the given name in documents.
    public static func relationship<T: RelationshipTarget>(
        _ name: String, _ path: any WritableKeyPath<Root, ToOne<T>> & Sendable, _ options: FieldOptions = []
    ) -> JSONAPIField {
        relationship(name, path, options, isToMany: false) { T.resourceTypes }
    }

    /// A to-many relationship with the given name in documents.
    public static func relationship<T: RelationshipTarget>(
        _ name: String, _ path: any WritableKeyPath<Root, ToMany<T>> & Sendable, _ options: FieldOptions = []
    ) -> JSONAPIField {
        relationship(name, path, options, isToMany: true) { T.resourceTypes }
    }

    private static func relationship<V: RelationshipProperty>(
        _ name: String, _ path: any WritableKeyPath<Root, V> & Sendable, _ options: FieldOptions, isToMany: Bool,
        targets: @escaping @Sendable () -> [any Resource.Type]
    ) -> JSONAPIField {
        let access = RelationshipAccess(path, isToMany: isToMany, targets: targets)
        return JSONAPIField(name: name, options: options, makePath: { path }, access: .relationship(access))
    }
}
