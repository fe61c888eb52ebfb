// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import OpenRPC

struct GenerateCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Writes an OpenRPC document as Swift: a protocol with @JSONRPCProxyAndService, and its types.",
        discussion: """
              jsonrpc generate openrpc.json --name Shop --output Sources/App/Shop.swift
              jsonrpc discover ws://127.0.0.1:8080 --json | jsonrpc generate -
            """)

    @Argument(help: "An OpenRPC document, or - for standard input.", completion: .file())
    var file: String

    @Option(help: "The protocol's name, instead of the document's title.")
    var name: String?

    @Option(help: ArgumentHelp("Who sees the code.", valueName: "internal|package|public"))
    var access = AccessChoice.internal

    @Option(
        help: ArgumentHelp(
            "How params are sent where the document allows both ways.", valueName: "by-name|by-position"))
    var params = ParamsChoice.byName

    @Option(name: .customLong("import"), help: "A module to import, instead of JSONRPCMacros; repeatable.")
    var modules: [String] = []

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Where to write, instead of standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    enum AccessChoice: String, ExpressibleByArgument, CaseIterable {
        case `internal`, package, `public`

        var value: ProtocolSource.Access {
            switch self {
            case .internal: .internal
            case .package: .package
            case .public: .public
            }
        }
    }

    enum ParamsChoice: String, ExpressibleByArgument, CaseIterable {
        case byName = "by-name"
        case byPosition = "by-position"
    }

    func execute() async throws {
        let bytes = try file == "-" ? FileBytes.standardInput() : FileBytes.contents(of: file)
        var source = ProtocolSource()
        source.protocolName = name
        source.access = access.value
        source.prefersPosition = params == .byPosition
        if !modules.isEmpty { source.modules = modules }
        let text: String
        do {
            text = try source.text(for: OpenRPCDocument(parsing: bytes))
        } catch {
            throw UsageError("\(file == "-" ? "standard input" : file): \(error)")
        }
        if let output { return try FileBytes.store(Array(text.utf8), at: output) }
        try OutputStream.standard.write(Array(text.utf8))
    }
}
