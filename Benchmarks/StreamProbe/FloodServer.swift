// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import Synchronization

/// Params and value of the notifications of a subscription, in Ethereum's form.
struct Tick: Codable, Sendable {
    var subscription: Int
    var result: Int
}

/// The request for a stream of notifications.
struct FloodRequest: Codable, Sendable {
    /// The subscriptions, which take turns.
    var subscriptions: [Int]
    /// The number of notifications in all.
    var count: Int
    /// The number of notifications per second; 0 for as many as the connection takes.
    var rate: Int
}

/// A server that sends notifications on request.
enum FloodServer {
    static func run() async throws {
        let listener = try await JSONRPCListener.listen { session, _ in
            let lastID = Atomic<Int>(0)
            session.handle("subscribe") { () -> Int in lastID.wrappingAdd(1, ordering: .relaxed).newValue }
            session.handle("unsubscribe") { (_: [Int]) -> Bool in true }
            session.handle("echo") { (params: [Int]) -> [Int] in params }
            session.setHandler("never") { _ in
                // It ends when the connection does.
                try await Task.sleep(for: .seconds(1 << 20))
                return .null
            }
            session.setHandler("flood") { call in
                try await flood(try call.decodeParams(), call.session)
                return .null
            }
        }
        // Unbuffered, because the reader of the pipe waits for it.
        FileHandle.standardOutput.write(Data("listening on port \(listener.port)\n".utf8))
        try await Task.sleep(for: .seconds(1 << 20))
    }

    private static func flood(_ request: FloodRequest, _ session: DuplexSession) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        var sent = 0
        while sent < request.count {
            // With a rate, a portion each millisecond.
            var portion = request.count - sent
            if request.rate > 0 {
                let due = Int((clock.now - start) / .seconds(1) * Double(request.rate)) - sent
                if due <= 0 {
                    try await clock.sleep(until: clock.now + .milliseconds(1))
                    continue
                }
                portion = min(portion, due)
            }
            for _ in 0..<portion {
                let subscription = request.subscriptions[sent % request.subscriptions.count]
                try await session.notify("tick", params: Tick(subscription: subscription, result: sent))
                sent += 1
            }
        }
    }
}
