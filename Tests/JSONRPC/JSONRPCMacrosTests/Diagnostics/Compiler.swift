// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport

/// Runs the compiler with the plugin that was built for the tests.
enum Compiler {
    /// Type-checks files, each of which imports `JSONRPCMacros`, and returns the errors. Warnings are errors.
    ///
    /// Lines are counted without the import.
    static func complaints(
        about files: [String: String], options: [String] = []
    ) async throws -> Set<CompilerComplaint> {
        try await macroErrors(about: files, importing: "JSONRPCMacros", options: options)
    }
}
