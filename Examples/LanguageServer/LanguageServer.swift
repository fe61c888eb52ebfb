// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCMacros

/// The part of the Language Server Protocol 3.17 that an editor needs to show diagnostics, hovers and completions.
///
/// All params are objects, and a member that is `null` is sent.
@JSONRPCProxy(params: .byName, nilArguments: .null)
public protocol LanguageServer: Sendable {
    // MARK: Life

    func initialize(processId: Int?, rootUri: String?, capabilities: JSONValue) async throws -> ServerDescription
    @RPCNotification(params: .whole) func initialized(_ params: [String: String]) async throws
    func shutdown() async throws
    @RPCNotification func exit() async throws

    // MARK: Documents

    @RPCNotification("textDocument/didOpen")
    func didOpen(textDocument: TextDocument) async throws
    @RPCNotification("textDocument/didChange")
    func didChange(textDocument: DocumentVersion, contentChanges: [TextChange]) async throws
    @RPCNotificationStream("textDocument/publishDiagnostics")
    var diagnostics: NotificationStream<DocumentDiagnostics> { get }

    // MARK: Questions

    @RPC("textDocument/hover", options: .idempotent)
    func hover(textDocument: DocumentIdentifier, position: Position) async throws -> Hover?
    @RPC("textDocument/completion", options: .idempotent)
    func completion(textDocument: DocumentIdentifier, position: Position) async throws -> CompletionList?
}

extension CallOptions {
    /// Questions change nothing, so a client that reconnects can ask them again.
    static let idempotent = CallOptions(isIdempotent: true)
}
