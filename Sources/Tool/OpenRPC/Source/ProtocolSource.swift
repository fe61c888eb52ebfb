// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Generates Swift code from the description of a service: a protocol for `@JSONRPCProxyAndService`, and the types of
/// its params and results.
///
/// Each type is `Codable`, `Sendable` and `Hashable`. Constraints that only validate, such as ranges, patterns and
/// lengths, are ignored. Members that an object's schema does not list are dropped when a value is decoded. If a Swift
/// type cannot express a schema, the type is `JSONValue`.
package struct ProtocolSource: Sendable {
    package enum Access: String, Sendable, CaseIterable {
        case `internal`, package, `public`
    }

    /// The name of the protocol. The default is `nil`: the name is made from the title of the document.
    package var protocolName: String?
    /// The access level of the generated declarations. The default is `internal`.
    package var access = Access.internal
    /// The modules that the code imports. The default is `JSONRPCMacros`.
    package var modules = ["JSONRPCMacros"]
    /// Whether methods that accept params by name and by position get them by position. The default is `false`.
    package var prefersPosition = false

    /// Whether types get `@JSONCodable`, which codes them without the cost of `Codable`. The code then also imports
    /// `WireJSONMacros`. The default is `false`.
    package var usesCodingMacro = false

    package init() {}

    /// - Throws: ``OpenRPCError`` if a schema refers to a part that does not exist or to another document, or if schemas
    ///   are nested too deep: more than 200 that refer to each other in a chain, or more than 500 levels, those of
    ///   references included. Also if more than 20 000 types are necessary.
    package func text(for document: OpenRPCDocument) throws(OpenRPCError) -> String {
        let name = SwiftName.type(protocolName ?? document.title)
        var catalog = TypeCatalog(
            document: document.json, taken: [name, name + "Proxy", name + "Service", "Indirect"])
        var methods: [MethodSource] = []
        var names: TakenNames = []
        for method in document.methods {
            methods.append(
                try MethodSource(method, prefersPosition: prefersPosition, names: &names, catalog: &catalog))
        }
        let hasBoxes = catalog.boxRecursiveProperties()
        let access = access == .internal ? "" : access.rawValue + " "
        var code = SourceText()
        code.comment("\(document.title) \(document.version), from its OpenRPC document.", mark: "//")
        code.line()
        let imports = usesCodingMacro && !modules.contains("WireJSONMacros") ? modules + ["WireJSONMacros"] : modules
        for module in imports { code.line("\(access)import \(module)") }
        code.line()
        code.comment(document.description)
        code.line("@JSONRPCProxyAndService(params: .\(prefersPosition ? "byPosition" : "byName"))")
        code.block("\(access)protocol \(name): Sendable") { code in
            for (index, method) in methods.enumerated() {
                if index > 0 { code.line() }
                method.write(to: &code)
            }
        }
        for declaration in catalog.declarations {
            code.line()
            declaration.write(to: &code, access: access, withMacro: usesCodingMacro)
        }
        if hasBoxes {
            code.line()
            Self.writeIndirect(to: &code, access)
        }
        return code.text
    }

    private static func writeIndirect(to code: inout SourceText, _ access: String) {
        code.comment("A value behind a reference: so a type can hold values of itself.")
        code.block("\(access)final class Indirect<Value: Codable & Sendable & Hashable>: Codable, Sendable, Hashable") {
            code in
            code.line("\(access)let value: Value")
            code.line()
            code.line("\(access)init(_ value: Value) { self.value = value }")
            code.line()
            code.block("\(access)init(from decoder: any Decoder) throws") { code in
                code.line("value = try decoder.singleValueContainer().decode(Value.self)")
            }
            code.line()
            code.block("\(access)func encode(to encoder: any Encoder) throws") { code in
                code.line("var container = encoder.singleValueContainer()")
                code.line("try container.encode(value)")
            }
            code.line()
            code.line("\(access)static func == (left: Indirect, right: Indirect) -> Bool { left.value == right.value }")
            code.line()
            code.line("\(access)func hash(into hasher: inout Hasher) { hasher.combine(value) }")
        }
    }
}

private struct MethodSource {
    private let method: OpenRPCDocument.Method
    private let name: String
    private let parameters: [(name: String, jsonName: String, type: SwiftType, description: String?)]
    private let result: SwiftType?
    private let isByPosition: Bool
    private let isUsual: Bool

    init(
        _ method: OpenRPCDocument.Method, prefersPosition: Bool, names: inout TakenNames, catalog: inout TypeCatalog
    ) throws(OpenRPCError) {
        self.method = method
        name = names.add(SwiftName.member(method.name))
        let context = SwiftName.type(method.name)
        var labels: TakenNames = []
        var parameters: [(name: String, jsonName: String, type: SwiftType, description: String?)] = []
        for param in method.params {
            let type = try catalog.type(of: param.schema, context + SwiftName.type(param.name))
            parameters.append(
                (
                    labels.add(SwiftName.member(param.name)), param.name,
                    param.isRequired ? type : type.madeOptional,
                    param.summary ?? param.description ?? param.schema.description
                ))
        }
        self.parameters = parameters
        if let content = method.result, content.schema.form != .null {
            result = try catalog.type(of: content.schema, context + "Result")
        } else {
            result = nil
        }
        isByPosition = method.paramStructure == .byPosition || method.paramStructure == .either && prefersPosition
        isUsual = isByPosition == prefersPosition
    }

    func write(to code: inout SourceText) {
        code.comment(method.summary)
        if method.summary != nil, method.description != nil { code.line("///") }
        code.comment(method.description)
        writeDetails(to: &code)
        writeAttribute(to: &code)
        let list = parameters.map { parameter in
            (isByPosition ? "_ " : "") + "\(SwiftName.quoted(parameter.name)): \(parameter.type.text)"
        }
        let arrow = result.map { " -> \($0.text)" } ?? ""
        code.list("func \(SwiftName.quoted(name))(", list, ") async throws\(arrow)")
    }

    private func writeDetails(to code: inout SourceText) {
        // An `@available` attribute would cause a warning in the code that serves the method.
        var details = method.isDeprecated ? ["- Warning: Deprecated."] : []
        for parameter in parameters {
            guard let description = parameter.description, !description.isEmpty else { continue }
            details.append("- Parameter \(parameter.name): \(Self.oneLine(description))")
        }
        for error in method.errors { details.append("- Throws: \(error.code), \(Self.oneLine(error.message))") }
        if details.isEmpty { return }
        if method.summary != nil || method.description != nil { code.line("///") }
        for detail in details { code.comment(detail) }
    }

    private static func oneLine(_ text: String) -> String {
        text.split { $0.isNewline }.joined(separator: " ")
    }

    private func writeAttribute(to code: inout SourceText) {
        var arguments: [String] = []
        if name != method.name { arguments.append(SwiftName.literal(method.name)) }
        if !isUsual, !parameters.isEmpty { arguments.append("params: .\(isByPosition ? "byPosition" : "byName")") }
        let renamed = isByPosition ? [] : parameters.filter { $0.name != $0.jsonName }
        if !renamed.isEmpty {
            let pairs = renamed.map { "\(SwiftName.literal($0.name)): \(SwiftName.literal($0.jsonName))" }
            arguments.append("renaming: [\(pairs.joined(separator: ", "))]")
        }
        let attribute = method.result == nil ? "@RPCNotification" : "@RPC"
        if arguments.isEmpty {
            if method.result == nil { code.line(attribute) }
        } else {
            code.list(attribute + "(", arguments, ")")
        }
    }
}
