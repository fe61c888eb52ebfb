// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import OpenRPC

struct DiscoverCommand: URLCommand {
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

    @Argument(help: TargetURL.help)
    var url: String

    @Flag(help: "Print the document as it came.")
    var json = false

    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func formatter(on stream: OutputStream) -> JSONFormatter { output.formatter(on: stream) }

    func execute() async throws {
        let budget = TimeBudget(connection.timeout)
        try await LibrarySession.with(
            url, connection, budget: budget, closeTimeout: LibrarySession.shortCloseTimeout
        ) { session in
            try show(try await session.call("rpc.discover", params: nil))
        }
    }

    private func show(_ result: RawJSON) throws {
        if json { return try OutputStream.standard.write(line: formatter.format(result)) }
        let document: OpenRPCDocument
        do {
            document = try OpenRPCDocument(parsing: Array(result.bytes))
        } catch {
            throw ClientError(
                .protocolViolation, "The answer is no OpenRPC document: \(error)", method: "rpc.discover",
                delivery: .answered)
        }
        OutputStream.diagnostics.say(TerminalText.line("\(document.title) \(document.version)"))
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
    /// The text on one line, with everything escaped that a terminal would act on.
    fileprivate var inOneLine: String {
        TerminalText.line(String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\n" || $0 == "\t" ? " " : $0 })))
    }
}
