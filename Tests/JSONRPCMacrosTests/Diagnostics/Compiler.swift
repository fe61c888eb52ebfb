// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Runs the compiler with the plugin that was built for the tests.
enum Compiler {
    /// Type-checks files, each of which imports `JSONRPCMacros`, and returns the errors. Warnings are errors.
    ///
    /// Lines are counted without the import.
    static func complaints(
        about files: [String: String], options: [String] = []
    ) async throws -> Set<CompilerComplaint> {
        let products = try #require(Bundle.main.executableURL).resolvingSymlinksInPath().deletingLastPathComponent()
        let plugin = products.appending(path: "JSONRPCMacrosPlugin-tool").path + "#JSONRPCMacrosPlugin"
        let fixed = ["-package-name", "example", "-warnings-as-errors", "-load-plugin-executable", plugin]
        let complaints = try await compilerComplaints(
            about: files.mapValues { "import JSONRPCMacros\n\($0)" }, options: fixed + options)
        return Set(
            complaints.filter(\.isError).map { complaint in
                var complaint = complaint
                complaint.line -= 1
                if let origin = complaint.message.range(of: " (from macro '") {
                    complaint.message = String(complaint.message[..<origin.lowerBound])
                }
                return complaint
            })
    }
}
