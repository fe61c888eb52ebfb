// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the type that a service decodes from the params of a method.
struct ParamsTypeWriter {
    private let call: CallRequirement
    private let refusesUnknownParams: Bool

    init(_ call: CallRequirement, refusesUnknownParams: Bool) {
        self.call = call
        self.refusesUnknownParams = refusesUnknownParams
    }

    static func typeName(of call: CallRequirement) -> String { "JSONRPCParams_\(call.identifier)" }

    func write(to code: inout CodeText) {
        code.block("nonisolated private struct \(Self.typeName(of: call)): Swift.Decodable, Swift.Sendable") { code in
            for (index, parameter) in call.parameters.enumerated() {
                code.line("let p\(index): \(parameter.type)", at: call.location)
            }
            code.separate()
            let names = "[\(call.parameters.map(\.wireName.expression).joined(separator: ", "))]"
            if call.hasCustomParamNames {
                code.line("private static let names: [Swift.String] = \(names)")
                code.separate()
            }
            code.block("init(from decoder: any Swift.Decoder) throws") { code in
                let names = call.hasCustomParamNames ? "Self.names" : names
                code.line("var params = try JSONRPCMacros.ParamsReader(from: decoder, names: \(names))")
                for (index, parameter) in call.parameters.enumerated() {
                    code.line("self.p\(index) = try params.next(\(parameter.type).self)", at: call.location)
                }
                if refusesUnknownParams { code.line("try params.refuseUnknown()") }
            }
        }
    }
}
