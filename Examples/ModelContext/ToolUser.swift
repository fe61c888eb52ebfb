// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCMacros
import JSONRPCWebSocket

/// A program that uses the tools of a Model Context Protocol server. The server can ask for the program's folders, and
/// for answers of its language model.
public struct ToolUser: Sendable {
    /// The folders that the server may use.
    public var roots: [Root]
    /// Answers with the language model of the program.
    public var complete: @Sendable (SamplingParams) async throws -> String

    public init(roots: [Root], complete: @escaping @Sendable (SamplingParams) async throws -> String) {
        self.roots = roots
        self.complete = complete
    }

    /// Connects to a server, and runs a closure. The client connects again if the connection is lost.
    public func withServer<Value>(
        at url: String, configuration: SessionConfiguration = SessionConfiguration(),
        _ body: (_ server: ModelContextProxy, _ client: JSONRPCClient) async throws -> Value
    ) async throws -> Value {
        var webSocket = WebSocketConfiguration()
        webSocket.subprotocols = ["mcp"]
        webSocket.requiresSubprotocol = true
        var configuration = configuration
        configuration.calls.cancellationNotice = .cancelled
        configuration.onConnect = begin
        return try await JSONRPCClient.withConnection(
            to: url, webSocket: webSocket, configuration: configuration, reconnect: .onLoss, prepare: answerServer
        ) { client in
            try await body(ModelContextProxy(over: client), client)
        }
    }

    /// Begins a session. It runs with each new connection, before any other call.
    private func begin(_ session: DuplexSession) async throws {
        let server = ModelContextProxy(over: session)
        let version = "2025-06-18"
        let description = try await server.initialize(
            protocolVersion: version, capabilities: ["sampling": [:], "roots": [:]],
            clientInfo: Implementation(name: "tool-user", version: "1"))
        guard description.protocolVersion == version else { throw UnsupportedVersion(description) }
        try await server.initialized()
    }

    /// Sets handlers for the server's own requests.
    private func answerServer(_ client: JSONRPCClient) {
        client.handle("roots/list") { [roots] in ["roots": roots] }
        client.handle("sampling/createMessage") { [complete] (params: SamplingParams) in
            SamplingResult(model: "example", content: .text(try await complete(params)))
        }
    }
}

extension ModelContext {
    /// Returns all tools of the server. The server sends them in pages.
    public func allTools() async throws -> [Tool] {
        var page = try await tools(cursor: nil)
        var tools = page.tools
        while let cursor = page.nextCursor {
            page = try await self.tools(cursor: cursor)
            tools += page.tools
        }
        return tools
    }

    /// Calls a tool, and returns the text of its result. If the task is cancelled, the server stops the tool.
    ///
    /// - Throws: A `ToolFailure` if the tool has failed; the errors of a call.
    public func text(of tool: String, _ arguments: JSONValue) async throws -> String {
        try await callTool(name: tool, arguments: arguments).text(of: tool)
    }
}

extension JSONRPCClient {
    /// Calls a tool that reports its progress, and returns the text of its result. A tool that reports nothing for a
    /// minute is cancelled.
    ///
    /// - Throws: A `ToolFailure` if the tool has failed; the errors of a call, and of the closure.
    public func text(
        of tool: String, _ arguments: JSONValue, onProgress: (ToolProgress) async throws -> Void
    ) async throws -> String {
        let call = try streamingCall(
            "tools/call", params: ["name": JSONValue(tool), "arguments": arguments], style: .modelContext,
            progress: ToolProgress.self, as: ToolResult.self, timeout: nil, idleTimeout: .seconds(60))
        return try await call.result(onProgress: onProgress).text(of: tool)
    }
}

extension ToolResult {
    /// Returns the text of the result.
    ///
    /// - Throws: A `ToolFailure` if the tool has failed.
    func text(of tool: String) throws -> String {
        let text = content.compactMap(\.text).joined(separator: "\n")
        if isError == true { throw ToolFailure(tool: tool, reason: text) }
        return text
    }
}

/// A tool has failed, or the server does not have it.
public struct ToolFailure: Error {
    public var tool: String
    public var reason: String
}

/// The server speaks another version of the protocol only.
public struct UnsupportedVersion: Error {
    public var server: ServerDescription

    init(_ server: ServerDescription) { self.server = server }
}
