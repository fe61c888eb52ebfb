// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Testing

/// An error or a warning of the compiler.
package struct CompilerComplaint: Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, or of a macro's expansion.
    package var place: String
    package var line: Int
    package var isError: Bool
    package var message: String

    package init(place: String, line: Int, isError: Bool = true, message: String) {
        self.place = place
        self.line = line
        self.isError = isError
        self.message = message
    }

    package var description: String { "\(place):\(line): \(isError ? "error" : "warning"): \(message)" }
}

/// Type-checks some files against the built modules, as in a package that depends on this one.
///
/// - Parameters:
///   - files: The texts by their names.
///   - options: Further options of `swiftc`.
/// - Returns: The errors and warnings, in the compiler's order, without repetitions.
package func compilerComplaints(
    about files: [String: String], options: [String] = []
) async throws -> [CompilerComplaint] {
    let products = try #require(Bundle.main.executableURL).resolvingSymlinksInPath().deletingLastPathComponent()
    return try await withTemporaryDirectory { folder in
        var paths: [String] = []
        for (name, text) in files.sorted(by: { $0.key < $1.key }) {
            let path = URL(filePath: folder).appending(path: name)
            try Data(text.utf8).write(to: path)
            paths.append(path.path(percentEncoded: false))
        }
        let log = URL(filePath: folder).appending(path: "log").path(percentEncoded: false)
        let modules = products.appending(path: "Modules").path(percentEncoded: false)
        let fixed = [
            "-typecheck", "-wmo", "-parse-as-library", "-swift-version", "6", "-diagnostic-style", "llvm", "-I",
            modules,
        ]
        let process = try PeerProcess(
            "/bin/sh", ["-c", #"log=$1; shift; exec swiftc "$@" >"$log" 2>&1"#, "sh", log] + fixed + options + paths)
        let status = try await process.exitStatus()
        let output = try String(contentsOf: URL(filePath: log), encoding: .utf8)
        var complaints: [CompilerComplaint] = []
        for line in output.split(separator: "\n") {
            guard let complaint = complaint(String(line), files), !complaints.contains(complaint) else { continue }
            complaints.append(complaint)
        }
        // Otherwise the modules were not found, or the compiler did not run.
        try #require(!output.contains("no such module"), "\(output)")
        try #require(status == 0 || complaints.contains { $0.isError }, "\(output)")
        return complaints
    }
}

/// Type-checks files, each of which imports a module of macros, with the plugin that was built for the tests.
///
/// - Returns: The errors, which include warnings. Lines do not count the import. Messages end before the macro's name.
package func macroErrors(
    about files: [String: String], importing module: String, options: [String] = []
) async throws -> Set<CompilerComplaint> {
    let products = try #require(Bundle.main.executableURL).resolvingSymlinksInPath().deletingLastPathComponent()
    let plugin = products.appending(path: "JSONMacrosPlugin-tool").path + "#JSONMacrosPlugin"
    let fixed = ["-package-name", "example", "-warnings-as-errors", "-load-plugin-executable", plugin]
    let complaints = try await compilerComplaints(
        about: files.mapValues { "import \(module)\n\($0)" }, options: fixed + options)
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

/// Reads `PLACE:LINE:COLUMN: error: MESSAGE`.
private func complaint(_ line: String, _ files: [String: String]) -> CompilerComplaint? {
    for (mark, isError) in [(": error: ", true), (": warning: ", false)] {
        guard let mark = line.range(of: mark) else { continue }
        let words = line[..<mark.lowerBound].split(separator: ":")
        guard words.count >= 3, let number = Int(words[words.count - 2]) else { continue }
        let path = words.dropLast(2).joined(separator: ":")
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return CompilerComplaint(
            place: files[name] == nil ? path : name, line: number, isError: isError,
            message: String(line[mark.upperBound...]))
    }
    return line.hasPrefix("error: ") ? CompilerComplaint(place: "", line: 0, message: line) : nil
}
