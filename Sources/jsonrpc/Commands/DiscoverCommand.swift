// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import OpenRPC

struct DiscoverCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "Asks a server for its methods, and lists them.",
        discussion: """
            Calls rpc.discover, which answers with an OpenRPC document. Each line is a method with its params (those \
            with ? may be left out), its result, and what it does. With --json the document itself is printed, for \
            jsonrpc generate.

              jsonrpc discover ws://127.0.0.1:8080
              jsonrpc discover ws://127.0.0.1:8080 --json | jsonrpc generate -
            """)

    @Argument(help: "ws://, wss:// or ws+unix://")
    var url: String

    @Flag(help: "Print the document as it came.")
    var json = false

    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    var formatter: JSONFormatter { output.formatter }

    func execute() async throws {
        let result = try await LibrarySession.with(url, connection) { session in
            try await session.call("rpc.discover", params: nil)
        }
        if json { return try OutputStream.standard.write(line: formatter.format(result)) }
        let document: OpenRPCDocument
        do {
            document = try OpenRPCDocument(parsing: Array(result.bytes))
        } catch {
            throw ClientError(
                .protocolViolation, "The answer is no OpenRPC document: \(error)", method: "rpc.discover",
                delivery: .answered)
        }
        OutputStream.diagnostics.say("\(document.title.inOneLine) \(document.version.inOneLine)")
        for method in document.methods { try OutputStream.standard.write(line: method.line) }
    }
}

extension OpenRPCDocument.Method {
    /// The method as a line: `subtract(minuend: number, subtrahend: number) -> number  The minuend less …`.
    var line: String {
        let params = params.map { "\($0.name)\($0.isRequired ? "" : "?"): \($0.schema.shortName)" }
        let arrow = result.map { " -> \($0.schema.shortName)" } ?? ""
        let about = (summary ?? description).map { "  \($0)" } ?? ""
        let mark = isDeprecated ? "  (deprecated)" : ""
        return "\(name)(\(params.joined(separator: ", ")))\(arrow)\(mark)\(about)".inOneLine
    }
}

extension JSONSchema {
    /// What to call it where there is little room.
    fileprivate var shortName: String {
        switch form {
        case .any: title ?? "any"
        case .null: "null"
        case .boolean: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .string: "string"
        case .enumeration(let values): title ?? values.map(\.description).joined(separator: "|")
        case .reference(let reference): reference.split(separator: "/").last.map(String.init) ?? reference
        case .array(let items): "[\(items?.shortName ?? "any")]"
        case .object: title ?? "object"
        case .alternatives(let parts): title ?? parts.map(\.shortName).joined(separator: "|")
        case .all(let parts): title ?? parts.map(\.shortName).joined(separator: "&")
        }
    }
}

extension String {
    /// The text without what a terminal would act on.
    fileprivate var inOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
