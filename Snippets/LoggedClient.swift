// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the article "Logging".
import JSONRPCWebSocket
import Logging

func loggedClient(_ url: String) async throws -> JSONRPCClient {
    var logger = Logger(label: "billing")
    logger.logLevel = .debug
    logger[metadataKey: "peer"] = "billing"

    var webSocket = WebSocketConfiguration()
    webSocket.logger = logger
    var configuration = SessionConfiguration()
    configuration.diagnostics.logger = logger
    let client = JSONRPCClient(
        connector: WebSocketConnector(to: url, configuration: webSocket), configuration: configuration,
        reconnect: .onLoss)
    logEvents(of: client, to: logger)
    try await client.connect()
    return client
}

/// Logs what concerns the person on call. The task ends with the client.
func logEvents(of client: JSONRPCClient, to logger: Logger) {
    let events = client.events
    Task {
        for await event in events {
            switch event {
            case .closed, .connectFailed, .handlerFailed, .notificationDropped: logger.warning("\(event)")
            case .inboundCallRefused, .stream, .subscription, .missed: logger.notice("\(event)")
            case .stateChanged: logger.info("\(event)")
            default: logger.debug("\(event)")
            }
        }
    }
}

/// Logs each message at `trace`, except those that may contain a password.
func tracingConfiguration(_ logger: Logger) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.diagnostics.logger = logger
    configuration.diagnostics.logRedaction = { event in
        event.text.contains("password") ? nil : String(event.text.prefix(500))
    }
    return configuration
}

/// Logs failed calls with their method and duration.
struct FailureLog: CallInterceptor {
    let logger: Logger

    func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
        let start = ContinuousClock.now
        do {
            return try await next(call)
        } catch {
            logger.notice(
                "call failed",
                metadata: ["method": "\(call.method)", "duration": "\(.now - start)", "error": "\(error)"])
            throw error
        }
    }
}

print("Pass the URL of a server to `loggedClient(_:)`.")
