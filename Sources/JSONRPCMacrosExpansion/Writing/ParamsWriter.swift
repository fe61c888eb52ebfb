// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the type that stands for a method's params: one for the proxy to encode, one for the service to decode.
struct ParamsWriter {
    private let call: CallRequirement

    init(_ call: CallRequirement) { self.call = call }

    var typeName: String { "JSONRPCParams_\(call.identifier)" }

    // MARK: Encoding

    func writeEncodable(_ code: inout CodeText) {
        code.block("nonisolated private struct \(typeName): Swift.Encodable, Swift.Sendable") { code in
            writeProperties(&code)
            if call.structure == .byName { writeKeys(&code) }
            code.separate()
            code.block("func encode(to encoder: any Swift.Encoder) throws") { code in
                if call.structure == .byName { writeKeyed(&code) } else { writeUnkeyed(&code) }
            }
        }
    }

    private func writeProperties(_ code: inout CodeText) {
        for (index, parameter) in call.parameters.enumerated() {
            code.line("let p\(index): \(parameter.type)", at: call.location)
        }
    }

    private func writeKeys(_ code: inout CodeText) {
        code.separate()
        guard !call.parameters.allSatisfy({ $0.wireName.isLiteral }) else {
            return code.block("nonisolated private enum CodingKeys: Swift.String, Swift.CodingKey") { code in
                for (index, parameter) in call.parameters.enumerated() {
                    code.line("case p\(index) = \(parameter.wireName.expression)")
                }
            }
        }
        code.block("nonisolated private struct CodingKeys: Swift.CodingKey") { code in
            code.line("let stringValue: Swift.String")
            code.line("var intValue: Swift.Int? { nil }")
            code.line("init(stringValue: Swift.String) { self.stringValue = stringValue }")
            code.line("init?(intValue: Swift.Int) { return nil }")
            for (index, parameter) in call.parameters.enumerated() {
                code.line("static let p\(index) = CodingKeys(stringValue: \(parameter.wireName.expression))")
            }
        }
    }

    private func writeKeyed(_ code: inout CodeText) {
        code.line("var container = encoder.container(keyedBy: CodingKeys.self)")
        for (index, parameter) in call.parameters.enumerated() {
            let isLeftOut = parameter.isOptional && call.nilArguments == .omitted
            code.line(
                "try container.\(isLeftOut ? "encodeIfPresent" : "encode")(p\(index), forKey: .p\(index))",
                at: call.location)
        }
    }

    private func writeUnkeyed(_ code: inout CodeText) {
        code.line("var container = encoder.unkeyedContainer()")
        let parameters = call.parameters
        let trailing = call.nilArguments == .null ? 0 : parameters.reversed().prefix { $0.isOptional }.count
        let firstTrailing = parameters.count - trailing
        for index in parameters.indices {
            if index >= firstTrailing {
                let rest = (index..<parameters.count).map { "p\($0) == nil" }.joined(separator: " && ")
                code.line("if \(rest) { return }")
            }
            code.line("try container.encode(p\(index))", at: call.location)
        }
    }

    // MARK: Decoding

    func writeDecodable(_ code: inout CodeText) {
        code.block("nonisolated private struct \(typeName): Swift.Decodable, Swift.Sendable") { code in
            writeProperties(&code)
            code.separate()
            let names = call.parameters.map(\.wireName.expression).joined(separator: ", ")
            if !call.parameters.allSatisfy({ $0.wireName.isLiteral }) {
                code.line("private static let names: [Swift.String] = [\(names)]")
                code.separate()
            }
            code.block("init(from decoder: any Swift.Decoder) throws") { code in
                let isLiteral = call.parameters.allSatisfy { $0.wireName.isLiteral }
                code.line(
                    "var params = try JSONRPCMacros.ParamsReader(from: decoder, names: \(isLiteral ? "[\(names)]" : "Self.names"))"
                )
                for (index, parameter) in call.parameters.enumerated() {
                    code.line("self.p\(index) = try params.next(\(parameter.type).self)", at: call.location)
                }
                code.line("try params.finish()")
            }
        }
    }
}
