// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The reason why a type cannot be read and written.
private struct CodingDiagnostic: DiagnosticMessage, FixItMessage {
    var id: String
    var message: String
    var severity = DiagnosticSeverity.error

    var diagnosticID: MessageID { MessageID(domain: "WireJSONMacros", id: id) }
    var fixItID: MessageID { diagnosticID }
}

/// The repair of an error: replaces one node by another one.
struct Repair {
    var message: String
    var old: Syntax
    var new: Syntax

    init(_ message: String, replace old: some SyntaxProtocol, by new: some SyntaxProtocol) {
        self.message = message
        self.old = Syntax(old)
        self.new = Syntax(new)
    }
}

/// Collects errors. If there are any, nothing is generated, so that no further errors arise in generated code.
final class DiagnosticSink {
    let context: any MacroExpansionContext
    private(set) var hasErrors = false

    private let isSilent: Bool

    /// - Parameter isSilent: Whether another expansion of the same attribute reports the errors.
    init(_ context: any MacroExpansionContext, isSilent: Bool = false) {
        self.context = context
        self.isSilent = isSilent
    }

    func error(_ id: String, _ message: String, at node: some SyntaxProtocol, _ repairs: Repair...) {
        hasErrors = true
        guard !isSilent else { return }
        let fixIts = repairs.map { repair in
            FixIt(
                message: CodingDiagnostic(id: id, message: repair.message),
                changes: [.replace(oldNode: repair.old, newNode: repair.new)])
        }
        let message = CodingDiagnostic(id: id, message: message)
        context.diagnose(Diagnostic(node: Syntax(node), message: message, fixIts: fixIts))
    }
}
