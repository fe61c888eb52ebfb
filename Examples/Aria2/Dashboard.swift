// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCMacros
import JSONRPCWebSocket

/// Shows the downloads of aria2, also after aria2 was killed and started again.
@main
struct Dashboard {
    static func main() async {
        let url = CommandLine.arguments.dropFirst().first ?? "ws://127.0.0.1:6800/jsonrpc"
        let screen = Screen()
        var configuration = SessionConfiguration()
        configuration.onConnect = { session in
            let version = try await Aria2RPCProxy(over: session).getVersion().version
            await screen.show("Connected to aria2 \(version).")
        }
        var reconnect = ReconnectPolicy.always
        reconnect.backoff.maximum = .seconds(5)
        let client = JSONRPCClient(
            connector: WebSocketConnector(to: url), configuration: configuration, reconnect: reconnect)
        do {
            try await runUntilInterrupted { try await watch(client, on: screen) }
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Connects, and shows the state of aria2 until the task is cancelled.
    private static func watch(_ client: JSONRPCClient, on screen: Screen) async throws {
        let aria2 = Aria2RPCProxy(over: client)
        // The streams belong to the client, so they go on after a reconnect, with a gap.
        let notifications = [
            aria2.onDownloadStart, aria2.onDownloadPause, aria2.onDownloadStop, aria2.onDownloadComplete,
            aria2.onDownloadError,
        ]
        let events = client.events
        // Several reasons to look at aria2 need one look.
        let (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { try await client.run() }
            for stream in notifications {
                group.addTask { for try await _ in stream { look.yield() } }
            }
            group.addTask {
                // aria2 sends no notifications of progress.
                while true {
                    look.yield()
                    try await Task.sleep(for: .seconds(1))
                }
            }
            group.addTask {
                for await event in events {
                    switch event {
                    case .closed, .connectFailed: await screen.show("\(event)")
                    default: break
                    }
                }
            }
            group.addTask {
                for await _ in looks { try await update(screen, from: client) }
            }
        }
    }

    /// Asks aria2 for its downloads with one batch. Without a connection, the screen stays as it is.
    private static func update(_ screen: Screen, from client: JSONRPCClient) async throws {
        let requests = Aria2RPCProxy.requests
        let keys = ["gid", "status", "totalLength", "completedLength", "files"]
        do {
            let (total, active, waiting, stopped) = try await client.batch(
                requests.getGlobalStat(), requests.tellActive(keys: keys),
                requests.tellWaiting(offset: 0, num: 10, keys: keys),
                requests.tellStopped(offset: -1, num: 10, keys: keys))
            await screen.show(active + waiting + stopped, total)
        } catch let error as ClientError where error.isRetryable {
            // The event says why.
        }
    }
}
