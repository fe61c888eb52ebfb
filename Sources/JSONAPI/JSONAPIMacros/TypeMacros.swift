// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Makes a structure a resource.
///
/// ```swift
/// @Resource("articles")
/// struct Article {
///     @Attribute var title: String?
///     @Attribute("description") var descriptionText: String?
///     @Attribute(via: ISO8601.self) var created: Date?
///     @Relationship var authors: ToMany<Person>
///     @Relationship var editor: ToOne<Person>
///     var isSelected = false
/// }
/// ```
///
/// Properties with `@Attribute` or `@Relationship` are fields. Other properties are not, and need an initial value.
/// They are neither read nor sent, and changing them does not change the resource.
///
/// The macro adds the conformance to `Resource`, with `state`, `schema` and `init()`, and an initializer with a
/// parameter for each field, which can be omitted: `Article(title: "JSON:API", authors: ["1"])`. The default of a
/// parameter is the initial value of its property. The members have the access level of the type. The initializer with
/// parameters has that of the least accessible field.
///
/// - Parameters:
///   - type: The type in documents, as a string literal. The default is the name of the Swift type as it is written,
///     such as `Article`.
///   - keys: The rule that makes the names in documents from those of the properties. It does not change the type, nor
///     names that `@Attribute("…")` or `@Relationship("…")` give. By default, they are equal.
@attached(member, names: named(state), named(schema), named(init))
@attached(extension, conformances: Resource)
public macro Resource(_ type: String = "", keys: KeyStrategy = .asIs) =
    #externalMacro(module: "JSONMacrosPlugin", type: "ResourceMacro")

/// Makes a structure an object inside an attribute with names of its own in documents, and with fields that are read
/// but never sent.
///
/// ```swift
/// @NestedAttribute
/// struct Tag {
///     @Attribute("tagName") var name: String?
///     @Attribute(.excluded) var id: Int?
/// }
/// ```
///
/// The macro adds the conformance to `NestedAttribute`, with `schema` and `init()`, and an initializer with a parameter
/// for each field. Properties without `@Attribute` need an initial value, and are neither read nor sent.
///
/// - Parameter keys: The rule that makes the names in documents from those of the properties. It does not change names
///   that `@Attribute("…")` gives. By default, they are equal.
@attached(member, names: named(schema), named(init))
@attached(extension, conformances: NestedAttribute)
public macro NestedAttribute(keys: KeyStrategy = .asIs) =
    #externalMacro(module: "JSONMacrosPlugin", type: "NestedAttributeMacro")

/// Makes an enumeration a choice between resource types, for a polymorphic relationship or mixed primary data.
///
/// ```swift
/// @ResourceUnion
/// enum Contributor {
///     case person(Person)
///     case organization(Organization)
///     case unknown(ResourceObject)
/// }
/// ```
///
/// Each case has exactly one payload. The case `unknown` holds resources of all other types.
@attached(member, names: named(alternatives), named(toResourceIdentifierObject))
@attached(extension, conformances: ResourceUnion)
public macro ResourceUnion() = #externalMacro(module: "JSONMacrosPlugin", type: "ResourceUnionMacro")
