// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import SessionTestSupport
import WireJSON

@testable import JSONRPCSession

extension ScriptedPeer {
    /// Confirms the next subscribe request.
    @discardableResult
    func confirm(_ id: JSONValue, _ method: String = "eth_subscribe") async throws -> ReceivedCall {
        let request = try await expectRequest(method)
        try reply(to: request, result: id)
        return request
    }

    /// Sends a notification in Ethereum's form.
    func publish(_ id: JSONValue, _ value: JSONValue, _ method: String = "eth_subscription") throws {
        try notify(method, params: ["subscription": id, "result": value])
    }

    /// Takes an unsubscribe request with an id, and answers it.
    func confirmEnd(_ id: JSONValue, _ method: String = "eth_unsubscribe", answer: JSONValue = true) async throws {
        try reply(to: try await expectRequest(method, params: .array([id])), result: answer)
    }
}

extension JSONRPCEndpoint {
    /// Subscribes to numbers, in Ethereum's form.
    func numbers(
        _ name: String = "numbers", style: SubscriptionStyle = .ethereum, overflow: NotificationOverflow = .standard,
        timeout: CallTimeout = .default, sharing: Bool = false,
        resume: (@Sendable (Int?) async throws -> [Int])? = nil
    ) async throws -> Subscription<Int> {
        try await subscribe(
            "eth_subscribe", params: [name], unsubscribe: "eth_unsubscribe", style: style, overflow: overflow,
            timeout: timeout, sharing: sharing, as: Int.self, resume: resume)
    }
}

extension Wire {
    /// Subscribes to numbers, and confirms with an id.
    func numbers(
        _ id: JSONValue = "0x1", style: SubscriptionStyle = .ethereum, overflow: NotificationOverflow = .standard
    ) async throws -> Subscription<Int> {
        async let subscription = session.numbers(style: style, overflow: overflow)
        try await peer.confirm(id)
        return try await subscription
    }
}

extension Subscription {
    /// Takes some elements.
    func take(_ count: Int) async throws -> [NotificationElement<Value>] {
        var iterator = makeAsyncIterator()
        var elements: [NotificationElement<Value>] = []
        while elements.count < count, let element = try await iterator.next() { elements.append(element) }
        return elements
    }
}

extension SessionEvent.Stream {
    /// The next event of subscriptions.
    func nextOfSubscriptions() async -> SessionEvent.SubscriptionEvent? {
        for await case .subscription(let event) in self { return event }
        return nil
    }
}

extension NotificationElement {
    static var reconnected: Self { .gap(NotificationGap(reason: .reconnected, count: nil)) }
    static func dropped(_ count: Int) -> Self { .gap(NotificationGap(reason: .overflow, count: count)) }
}
