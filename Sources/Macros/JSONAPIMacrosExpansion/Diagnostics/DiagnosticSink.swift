// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The reason why a declaration cannot become a resource.
private struct ResourceDiagnostic: DiagnosticMessage {
    var id: String
    var message: String
    var severity = DiagnosticSeverity.error

    var diagnosticID: MessageID { MessageID(domain: "JSONAPIMacros", id: id) }
}

private struct ResourceFix: FixItMessage {
    var id: String
    var message: String

    var fixItID: MessageID { MessageID(domain: "JSONAPIMacros", id: id) }
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
    private let context: any MacroExpansionContext
    private let isSilent: Bool
    private(set) var hasErrors = false

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
                message: ResourceFix(id: id, message: repair.message),
                changes: [.replace(oldNode: repair.old, newNode: repair.new)])
        }
        let message = ResourceDiagnostic(id: id, message: message)
        context.diagnose(Diagnostic(node: Syntax(node), message: message, fixIts: fixIts))
    }

    /// Checks that an extension beside the outermost type can name the type.
    func checkAccess(_ modifiers: DeclModifierListSyntax) {
        guard !context.lexicalContext.isEmpty, let modifier = modifiers.first("private") else { return }
        error(
            "privateType", "a type inside another type cannot be 'private', because the conformance is outside",
            at: modifier,
            Repair(
                "use 'fileprivate'", replace: modifier, by: modifier.with(\.name.tokenKind, .keyword(.fileprivate))))
    }

    /// Returns a directive that lets the compiler show errors at the node, or `nil` if the place is unknown.
    func sourceLocation(of node: some SyntaxProtocol) -> String? {
        context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath).map { place in
            "#sourceLocation(file: \(place.file.trimmedDescription), line: \(place.line.trimmedDescription))"
        }
    }
}
