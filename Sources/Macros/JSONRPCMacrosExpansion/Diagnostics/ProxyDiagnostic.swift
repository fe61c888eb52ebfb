// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The reason why a requirement cannot become a call.
struct ProxyDiagnostic: DiagnosticMessage {
    var id: String
    var message: String
    var severity = DiagnosticSeverity.error

    var diagnosticID: MessageID { MessageID(domain: "JSONRPCMacros", id: id) }
}

struct ProxyFix: FixItMessage {
    var id: String
    var message: String

    var fixItID: MessageID { MessageID(domain: "JSONRPCMacros", id: id) }
}

/// Collects errors. If there are any, nothing is generated, so that no further errors arise in generated code.
final class DiagnosticSink {
    private let context: any MacroExpansionContext
    private(set) var hasErrors = false

    init(_ context: any MacroExpansionContext) { self.context = context }

    /// Prevents generation because of an error that another macro diagnoses.
    func stop() { hasErrors = true }

    /// - Parameter fixes: The fix-its.
    func error(
        _ id: String, _ message: String, at node: some SyntaxProtocol, fixes: [(String, [FixIt.Change])] = []
    ) {
        hasErrors = true
        context.diagnose(
            Diagnostic(
                node: Syntax(node), message: ProxyDiagnostic(id: id, message: message),
                fixIts: fixes.map { FixIt(message: ProxyFix(id: id, message: $0.0), changes: $0.1) }))
    }

    func error(
        _ id: String, _ message: String, at node: some SyntaxProtocol, fix: String,
        replace old: some SyntaxProtocol, by new: some SyntaxProtocol
    ) {
        error(
            id, message, at: node,
            fixes: [(fix, [.replace(oldNode: Syntax(old), newNode: Syntax(new))])])
    }

    /// The place of the node, for errors that only the compiler finds.
    func place(of node: some SyntaxProtocol) -> SourcePlace? {
        guard let location = context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath) else {
            return nil
        }
        return SourcePlace(file: location.file.trimmedDescription, line: location.line.trimmedDescription)
    }
}
