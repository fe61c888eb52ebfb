// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
package import OpenRPC
import ToolSupport

struct GenerateCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Generate a Swift protocol and its types from an OpenRPC document.",
        usage: "jsonrpc generate [<options>] <file>",
        discussion: """
              jsonrpc generate openrpc.json --name Shop --output Sources/App/Shop.swift
              jsonrpc discover ws://127.0.0.1:8080 --json | jsonrpc generate -

            The protocol is written for the macro @JSONRPCProxy, which makes a typed client of it. Params and results \
            that are JSON objects become Codable structs.
            """)

    // The generator does not look for a cancellation.
    static let endsAtOnce = true

    @Argument(help: "File with the OpenRPC document, or - for standard input.", completion: .file())
    var file: String

    @Option(help: "Name of the protocol. The default is the title of the document.")
    var name: String?

    @Option(help: ArgumentHelp("Access level of the generated declarations.", valueName: "internal|package|public"))
    var access = ProtocolSource.Access.internal

    @Option(
        help: ArgumentHelp(
            "How to send the params of methods that accept them by name and by position.",
            valueName: "by-name|by-position"))
    var params = ParamsChoice.byName

    @Option(name: .customLong("import"), help: "Import this module instead of JSONRPCMacros; repeatable.")
    var modules: [String] = []

    @Flag(help: "Mark types with @JSONCodable of the module WireJSONMacros, which codes them faster.")
    var jsonCodable = false

    @Option(
        name: .shortAndLong, help: ArgumentHelp("File to write. The default is standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    enum ParamsChoice: String, ExpressibleByArgument, CaseIterable {
        case byName = "by-name"
        case byPosition = "by-position"
    }

    func execute() async throws {
        let bytes = try file == "-" ? FileBytes.standardInput() : FileBytes.contents(of: file)
        var source = ProtocolSource()
        source.protocolName = name
        source.access = access
        source.prefersPosition = params == .byPosition
        if !modules.isEmpty { source.modules = modules }
        source.usesCodingMacro = jsonCodable
        let text: String
        do {
            text = try source.text(for: OpenRPCDocument(parsing: bytes))
        } catch {
            throw UsageError("Could not generate code from \(file == "-" ? "standard input" : file). \(error)")
        }
        if let output { return try FileBytes.store(Array(text.utf8), at: output) }
        try OutputStream.standard.write(Array(text.utf8))
    }
}

extension ProtocolSource.Access: ExpressibleByArgument {}
