// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import JSONRPCTesting
import TestTurns
import Testing

/// A caller without handlers whose streams are those of a session.
private struct Subscriber: NotificationSubscriber {
    let session: DuplexSession
    var coder: any MessageCoder { session.coder }

    func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        try await session.callRaw(method, params: params, timeout: timeout, options: options)
    }

    func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        try await session.notifyRaw(method, params: params, options: options)
    }

    func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await session.batch(entries, timeout: timeout)
    }

    func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        session.notificationStream(of: method, overflow: overflow, decoding: decoding, decode: decode)
    }
}

/// Proxies over callers that are not endpoints.
@Suite(.inTurn(within: .seconds(60)))
struct SubscriberTests {
    /// Returns a proxy whose connection is lost.
    private func lostFeed() async throws -> FeedProxy {
        let link = try await ScriptedLink()
        link.peer.drop()
        await #expect(throws: ClientError.self) { for try await _ in link.client.notifications() {} }
        return FeedProxy(over: Subscriber(session: link.client))
    }

    @Test func theMethodThrowsTheErrorOfTheStreams() async throws {
        let feed = try await lostFeed()
        let error = await #expect(throws: ClientError.self) { try await feed.levels() }
        #expect(error?.code == .connectionLost)
    }

    @MainActor @Test func theErrorIsTheSameOnTheMainActor() async throws {
        let feed = try await lostFeed()
        let error = await #expect(throws: ClientError.self) { try await feed.levels() }
        #expect(error?.code == .connectionLost)
    }

    @Test func aStreamThatWaitsDoesNotDelayTheError() async throws {
        let link = try await ScriptedLink()
        let feed = FeedProxy(over: Subscriber(session: link.client))
        let error = await #expect(throws: ClientError.self) { try await feed.levels() }
        #expect(error?.delivery == .notSent && error?.isRetryable == false)
        #expect(error?.message.contains("the caller is not a `JSONRPCEndpoint`") == true)
        // Calls are not affected.
        async let missed = feed.missedTicks(after: 1)
        try link.peer.reply(to: try await link.peer.expectRequest("f.missedTicks"), result: [])
        #expect(try await missed.isEmpty)
        try await link.close()
    }
}
