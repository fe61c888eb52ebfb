// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Runs the compiler, with the plugin and the modules that were built for the tests.
enum Compiler {
    struct Complaint: Hashable, CustomStringConvertible {
        /// A file's name, or the name of an expansion.
        var place: String
        var line: Int
        var message: String

        var description: String { "\(place):\(line): \(message)" }
    }

    /// Type-checks files, each of which imports `JSONRPCMacros`, and returns the errors.
    static func complaints(about files: [String: String], options: [String] = []) async throws -> Set<Complaint> {
        let products = try #require(Bundle.main.executableURL).resolvingSymlinksInPath().deletingLastPathComponent()
        return try await withTemporaryDirectory { folder in
            for (name, text) in files {
                try Data("import JSONRPCMacros\n\(text)".utf8).write(to: URL(filePath: folder).appending(path: name))
            }
            let compiler = Process()
            compiler.executableURL = URL(filePath: "/usr/bin/env")
            compiler.arguments =
                [
                    "swiftc", "-typecheck", "-wmo", "-package-name", "example", "-swift-version", "6",
                    "-parse-as-library", "-diagnostic-style", "llvm", "-warnings-as-errors",
                    "-I", products.appending(path: "Modules").path, "-load-plugin-executable",
                    products.appending(path: "JSONRPCMacrosPlugin-tool").path + "#JSONRPCMacrosPlugin",
                ] + options + files.keys.sorted().map { "\(folder)/\($0)" }
            let output = Pipe()
            compiler.standardError = output
            try compiler.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            compiler.waitUntilExit()
            #expect(compiler.terminationReason == .exit, "\(text)")
            return Set(text.split(separator: "\n").compactMap { complaint(String($0), files) })
        }
    }

    /// Reads `PLACE:LINE:COLUMN: error: MESSAGE`.
    private static func complaint(_ line: String, _ files: [String: String]) -> Complaint? {
        guard let mark = line.range(of: ": error: ") else {
            return line.hasPrefix("error: ") ? Complaint(place: "", line: 0, message: line) : nil
        }
        let words = line[..<mark.lowerBound].split(separator: ":")
        guard words.count >= 3, let number = Int(words[words.count - 2]) else {
            return Complaint(place: "", line: 0, message: line)
        }
        let path = words.dropLast(2).joined(separator: ":")
        let name = path.split(separator: "/").last.map(String.init) ?? path
        var message = String(line[mark.upperBound...])
        if let origin = message.range(of: " (from macro '") { message = String(message[..<origin.lowerBound]) }
        // The line that imports the module comes first.
        return Complaint(
            place: files[name] == nil ? path : name, line: number - 1, message: message)
    }
}
