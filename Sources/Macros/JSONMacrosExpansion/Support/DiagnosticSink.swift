// swift-jsonrpc · SPDX-License-Identifier: MIT

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A fix-it that replaces one node by another.
typealias Repair = FixIt

extension Repair {
    init(_ message: String, replace old: some SyntaxProtocol, by new: some SyntaxProtocol) {
        self.init(
            message: MacroExpansionFixItMessage(message),
            changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}

/// Collects errors. After an error nothing is generated, so that generated code causes no further errors.
final class DiagnosticSink {
    let context: any MacroExpansionContext
    private(set) var hasErrors = false

    private let isSilent: Bool

    /// - Parameter isSilent: Whether another expansion of the attribute reports the errors.
    init(_ context: any MacroExpansionContext, isSilent: Bool = false) {
        self.context = context
        self.isSilent = isSilent
    }

    /// Prevents generation because of an error that another macro reports.
    func stop() { hasErrors = true }

    func error(_ message: String, at node: some SyntaxProtocol, _ repairs: Repair...) {
        error(message, at: node, repairs: repairs)
    }

    func error(_ message: String, at node: some SyntaxProtocol, repairs: [Repair]) {
        hasErrors = true
        guard !isSilent else { return }
        context.diagnose(Diagnostic(node: node, message: MacroExpansionErrorMessage(message), fixIts: repairs))
    }

    /// Checks that an extension outside of the outermost type can access the type.
    func checkAccess(_ modifiers: DeclModifierListSyntax) {
        guard !context.lexicalContext.isEmpty, let modifier = modifiers.first("private") else { return }
        error(
            "a type inside another type cannot be 'private', because the conformance is outside", at: modifier,
            Repair(
                "use 'fileprivate'", replace: modifier, by: modifier.with(\.name.tokenKind, .keyword(.fileprivate))))
    }

    /// Checks that the declaration around a member's attribute has one of the macros that read the attribute.
    func checkSurrounding(_ macros: [String], _ message: String, at node: AttributeSyntax) {
        let surrounding = context.lexicalContext.first?.attributes?.named
        guard surrounding?.contains(where: { macros.contains($0.plainName) }) != true else { return }
        error(message, at: node)
    }

    /// Returns the directive that makes the compiler report errors at a node, or `nil` if its position is unknown.
    func place(of node: some SyntaxProtocol) -> String? {
        context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath).map {
            "#sourceLocation(file: \($0.file.trimmedDescription), line: \($0.line.trimmedDescription))"
        }
    }
}
