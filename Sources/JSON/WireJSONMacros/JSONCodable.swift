// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The rule that converts the names of properties and cases to names in JSON.
public enum JSONKeyNaming: Sendable {
    /// No conversion: the names are equal.
    case asIs
    /// `oneTwoThree` becomes `one_two_three`, as with the key strategies of the coders.
    case snakeCase
}

/// Makes a structure or an enumeration `Codable`. WireJSON's coders then read and write it without the containers of
/// `Codable`, which take most of the time.
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
/// The type has the same JSON as with `Codable` alone, and the same errors. Other coders use it through `Codable`.
/// There is one difference: if a variable has an initial value and is not optional, it keeps that value if the member
/// is missing or `null`. The compiler's `init(from:)` throws an error in this case.
///
/// - Structures: All stored properties are members, or only those in the type's enumeration `CodingKeys`. A property
///   needs a type annotation or a literal as its initial value. A constant with an initial value is only written.
/// - Enumerations: Cases can have strings or numbers as raw values, or associated values. The labels of associated
///   values are their names in JSON.
/// - Types of properties: Any `Codable` type. WireJSON reads and writes these types without containers, too, if they
///   have this macro, or if they are strings, booleans, integers, `Double`, `Date`, `Data`, `URL`, `RawJSON`,
///   `JSONValue`, or optionals, arrays and dictionaries of such types.
///
/// The macro adds the conformances to `Codable`, `JSONReadable` and `JSONWritable`, and `CodingKeys` if the type has
/// none. A type cannot have the macro if it has its own `init(from:)` or `encode(to:)`, or `CodingKeys` in another
/// extension.
///
/// - Parameter keys: The rule for names that neither ``JSONKey(_:)`` nor the type's own `CodingKeys` define.
@attached(member, names: named(JSONScope))
@attached(
    extension, conformances: Decodable, Encodable, JSONReadable, JSONWritable,
    names: named(init(reading:)), named(write(to:)), named(init(from:)), named(encode(to:)), named(jsonMemberNames),
    named(JSONValueNames), named(CodingKeys)
)
public macro JSONCodable(keys: JSONKeyNaming = .asIs) =
    #externalMacro(module: "JSONMacrosPlugin", type: "JSONCodableMacro")

/// Sets the name of a property or a case in JSON.
///
/// - Parameter name: The name, as a string literal.
@attached(peer)
public macro JSONKey(_ name: String) = #externalMacro(module: "JSONMacrosPlugin", type: "JSONKeyMacro")
