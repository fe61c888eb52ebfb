// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Makes a property an attribute. Its name in documents is the property's name, changed by the type's key strategy.
///
/// The property is a stored `var` with a written type, which is optional or has an initial value. Its type is
/// `Codable`, `Equatable` and `Sendable`.
///
/// - Parameter options: Options of the field. By default, there are none.
@attached(peer)
public macro Attribute(_ options: FieldOptions = []) =
    #externalMacro(module: "JSONMacrosPlugin", type: "FieldMacro")

/// Makes a property an attribute with a name in documents of its own.
///
/// - Parameters:
///   - name: The name in documents, as a string literal. The key strategy of the type does not change it.
///   - options: Options of the field. By default, there are none.
@attached(peer)
public macro Attribute(_ name: String, _ options: FieldOptions = []) =
    #externalMacro(module: "JSONMacrosPlugin", type: "FieldMacro")

/// Makes a property an attribute that a transform converts.
///
/// - Parameters:
///   - via: The transform. Its `Value` is the type of the property, without the optional.
///   - options: Options of the field. By default, there are none.
@attached(peer)
public macro Attribute<Transform: AttributeTransform>(via: Transform.Type, _ options: FieldOptions = []) =
    #externalMacro(module: "JSONMacrosPlugin", type: "FieldMacro")

/// Makes a property an attribute with a name in documents of its own, which a transform converts.
///
/// - Parameters:
///   - name: The name in documents, as a string literal. The key strategy of the type does not change it.
///   - via: The transform. Its `Value` is the type of the property, without the optional.
///   - options: Options of the field. By default, there are none.
@attached(peer)
public macro Attribute<Transform: AttributeTransform>(
    _ name: String, via: Transform.Type, _ options: FieldOptions = []
) = #externalMacro(module: "JSONMacrosPlugin", type: "FieldMacro")

/// Makes a property of type `ToOne` or `ToMany` a relationship. Its name in documents is that of the property, changed
/// by the key strategy of the type. Without an initial value, its linkage is not loaded.
///
/// - Parameter options: Options of the field. By default, there are none.
@attached(peer)
public macro Relationship(_ options: FieldOptions = []) =
    #externalMacro(module: "JSONMacrosPlugin", type: "FieldMacro")

/// Makes a property of type `ToOne` or `ToMany` a relationship with a name in documents of its own.
///
/// - Parameters:
///   - name: The name in documents, as a string literal. The key strategy of the type does not change it.
///   - options: Options of the field. By default, there are none.
@attached(peer)
public macro Relationship(_ name: String, _ options: FieldOptions = []) =
    #externalMacro(module: "JSONMacrosPlugin", type: "FieldMacro")
