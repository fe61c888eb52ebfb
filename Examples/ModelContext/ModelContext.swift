// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCMacros

/// The part of the Model Context Protocol 2025-06-18 that concerns tools.
@JSONRPCProxy(params: .byName)
public protocol ModelContext: Sendable {
    func initialize(
        protocolVersion: String, capabilities: JSONValue, clientInfo: Implementation
    ) async throws -> ServerDescription
    @RPCNotification("notifications/initialized") func initialized() async throws
    @RPC("tools/list", options: CallOptions(isIdempotent: true))
    func tools(cursor: String?) async throws -> ToolPage
    @RPC("tools/call", timeout: nil)
    func callTool(name: String, arguments: JSONValue) async throws -> ToolResult
}

public struct Implementation: Codable, Hashable, Sendable {
    public var name: String
    public var version: String

    public init(name: String, version: String) {
        self.name = name
        self.version = version
    }
}

public struct ServerDescription: Decodable, Sendable {
    public var protocolVersion: String
    public var serverInfo: Implementation
}

public struct Tool: Decodable, Sendable {
    public var name: String
    public var description: String?
    /// A JSON Schema.
    public var inputSchema: JSONValue
}

/// A part of the list of tools.
public struct ToolPage: Decodable, Sendable {
    public var tools: [Tool]
    /// The cursor of the next page; `nil` for the last page.
    public var nextCursor: String?
}

/// A part of a message. The protocol also has images, audio and resources.
public struct Content: Codable, Hashable, Sendable {
    public var type: String
    public var text: String?

    public static func text(_ text: String) -> Content { Content(type: "text", text: text) }
}

public struct ToolResult: Decodable, Sendable {
    public var content: [Content]
    /// Whether the tool has failed. The content is the reason then.
    public var isError: Bool?
}

public struct ToolProgress: Decodable, Hashable, Sendable {
    public var progress: Double
    /// `nil` if the server does not know it.
    public var total: Double?
    public var message: String?
}

/// The params of `sampling/createMessage`, a request of the server.
public struct SamplingParams: Decodable, Sendable {
    public struct Message: Codable, Sendable {
        public var role: String
        public var content: Content
    }

    public var messages: [Message]
    public var maxTokens: Int
}

struct SamplingResult: Encodable, Sendable {
    var role = "assistant"
    var model: String
    var content: Content
}

public struct Root: Codable, Hashable, Sendable {
    public var uri: String
    public var name: String?

    public init(uri: String, name: String? = nil) {
        self.uri = uri
        self.name = name
    }
}
