// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The rule that makes the names of members from the names of properties and cases.
public enum JSONKeyNaming: Sendable {
    /// The names are equal.
    case asIs
    /// `oneTwoThree` becomes `one_two_three`, as the key strategies of the coders have it.
    case snakeCase
}

/// Makes a structure or an enumeration `Codable`, and lets the coders of WireJSON read and write it without the containers
/// of `Codable`, which take most of the time.
///
/// ```swift
/// @JSONCodable(keys: .snakeCase)
/// struct Order {
///     var id: Int
///     var customerName: String  // customer_name
///     @JSONKey("lines") var items: [Item]
///     var note: String?  // missing or null is nil
///     var currency = "EUR"  // missing or null is "EUR"
///     var placed: Date  // in the form that the coder's strategy has
/// }
/// ```
///
/// The type has the same JSON as with `Codable` alone, and the same errors. Other coders use it through `Codable`. There is one
/// difference: a variable with an initial value that is not optional has this value if the member is missing or `null`, where
/// the compiler's `init(from:)` throws an error.
///
/// - Structures: all stored properties are members, or those that an enumeration `CodingKeys` of the type names. A property
///   needs a type, unless its initial value is a literal. A constant with an initial value is written, and never read.
/// - Enumerations of strings, numbers, or cases with associated values. The labels of these are their names in JSON.
/// - Types of properties: any `Codable` types. WireJSON reads and writes them without containers, too, if they have this macro,
///   or if they are strings, booleans, integers, `Double`, `Date`, `Data`, `URL`, `RawJSON`, `JSONValue`, or optionals,
///   arrays and dictionaries of such types.
///
/// The macro adds the conformances to `Codable`, `JSONReadable` and `JSONWritable`, and `CodingKeys` if the type has none. A
/// type that has an `init(from:)` or `encode(to:)` of its own, or `CodingKeys` in another extension, cannot have it.
///
/// - Parameter keys: The rule for names that neither ``JSONKey(_:)`` nor the type's own `CodingKeys` give.
@attached(member, names: named(JSONScope))
@attached(
    extension, conformances: Decodable, Encodable, JSONReadable, JSONWritable,
    names: named(init(reading:)), named(write(to:)), named(init(from:)), named(encode(to:)), named(jsonMemberNames),
    named(JSONValueNames), named(CodingKeys)
)
public macro JSONCodable(keys: JSONKeyNaming = .asIs) =
    #externalMacro(module: "JSONMacrosPlugin", type: "JSONCodableMacro")

/// Gives the name that a property or a case has in JSON.
///
/// - Parameter name: The name, as a string literal.
@attached(peer)
public macro JSONKey(_ name: String) = #externalMacro(module: "JSONMacrosPlugin", type: "JSONKeyMacro")
