// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import OpenRPC

struct DiscoverCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "List the methods of a server.",
        discussion: """
              jsonrpc discover ws://127.0.0.1:8080
              jsonrpc discover ws://127.0.0.1:8080 --json | jsonrpc generate -

            Calls rpc.discover, which returns an OpenRPC document. Prints a line for each method: name, params, result \
            and summary. A param with ? is optional.
            """)

    @Argument(help: TargetURL.help)
    var url: String

    @Flag(help: "Print the OpenRPC document instead of the list.")
    var json = false

    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func formatter(on stream: OutputStream) -> JSONFormatter { output.formatter(on: stream) }

    func execute() async throws {
        let budget = TimeBudget(connection.timeout)
        try await Peer.with(
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
                .protocolViolation, "The result is not a valid OpenRPC document: \(error)", method: "rpc.discover",
                delivery: .answered)
        }
        OutputStream.diagnostics.say(TerminalText.line("\(document.title) \(document.version)"))
        for method in document.methods { try OutputStream.standard.write(line: method.line) }
    }
}

extension OpenRPCDocument.Method {
    /// The method on one line: `subtract(minuend: number, subtrahend: number) -> number  The minuend less …`.
    var line: String {
        let params = params.map { "\($0.name)\($0.isRequired ? "" : "?"): \($0.schema.shortName)" }
        let arrow = result.map { " -> \($0.schema.shortName)" } ?? ""
        let about = (summary ?? description).map { "  \($0)" } ?? ""
        let mark = isDeprecated ? "  (deprecated)" : ""
        return "\(name)(\(params.joined(separator: ", ")))\(arrow)\(mark)\(about)".inOneLine
    }
}

extension JSONSchema {
    /// A short name of the type for the list of methods.
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
    /// The text on one line, with characters escaped that would control a terminal.
    fileprivate var inOneLine: String {
        TerminalText.line(String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\n" || $0 == "\t" ? " " : $0 })))
    }
}
