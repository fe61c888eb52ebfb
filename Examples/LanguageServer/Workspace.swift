// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCMacros
import JSONRPCWebSocket

/// The documents that an editor has open. A language server knows them, also after it was restarted.
public actor Workspace {
    private var documents: [String: TextDocument] = [:]
    /// The server of the latest connection, and the documents that it was told about.
    private var server: LanguageServerProxy?
    private var opened: Set<String> = []

    public init() {}

    /// Connects to a language server, runs a closure, and ends the server's session.
    nonisolated public func withServer<Value>(
        at url: String, configuration: SessionConfiguration = SessionConfiguration(),
        _ body: (_ server: LanguageServerProxy, _ client: JSONRPCClient) async throws -> Value
    ) async throws -> Value {
        var configuration = configuration
        configuration.calls.cancellationNotice = .cancelRequest
        configuration.onConnect = { try await self.begin($0) }
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff.maximum = .seconds(2)
        return try await JSONRPCClient.withConnection(
            to: url, configuration: configuration, reconnect: reconnect, prepare: answerServer
        ) { client in
            let server = LanguageServerProxy(over: client)
            let value = try await body(server, client)
            try await server.shutdown()
            try await server.exit()
            return value
        }
    }

    /// Shows a new document, or a new version of a document, to the server.
    public func show(_ document: TextDocument) async throws {
        try Task.checkCancellation()
        documents[document.uri] = document
        guard let server else { return }
        do {
            if opened.insert(document.uri).inserted {
                try await server.didOpen(textDocument: document)
            } else {
                try await server.didChange(
                    textDocument: DocumentVersion(uri: document.uri, version: document.version),
                    contentChanges: [TextChange(text: document.text)])
            }
        } catch is ClientError {
            // The connection was lost. `begin` opens the document on the next connection.
        }
    }

    /// Begins a session. It runs with each new connection, before any other call.
    private func begin(_ session: DuplexSession) async throws {
        let server = LanguageServerProxy(over: session)
        let capabilities: JSONValue = ["window": ["workDoneProgress": true], "workspace": ["configuration": true]]
        _ = try await server.initialize(processId: nil, rootUri: nil, capabilities: capabilities)
        try await server.initialized([:])
        (self.server, opened) = (server, [])
        for uri in documents.keys {
            guard let document = documents[uri], opened.insert(uri).inserted else { continue }
            try await server.didOpen(textDocument: document)
        }
    }

    /// Sets handlers for the server's own requests. Some servers wait for each answer.
    nonisolated private func answerServer(_ client: JSONRPCClient) {
        client.handle("window/workDoneProgress/create") {}
        client.handle("client/registerCapability") {}
        client.handle("workspace/configuration") { (params: ConfigurationParams) in
            params.items.map { _ in JSONValue.null }
        }
    }
}
