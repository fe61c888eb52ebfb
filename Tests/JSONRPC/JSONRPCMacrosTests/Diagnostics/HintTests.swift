// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

/// The compiler's messages for mistakes that the macros cannot see. They must say what to write.
@Suite(.inTurn(within: .seconds(60)))
struct HintTests {
    private static let models = """
        struct OnlyDecodable: Decodable, Sendable {}
        struct OnlyEncodable: Encodable, Sendable {}
        struct Neither: Sendable {}
        typealias Hidden = OnlyDecodable

        """

    /// Compiles one requirement with an attribute, and returns the messages, which must be at the requirement.
    private func messages(_ attribute: String, _ requirement: String) async throws -> [String] {
        let source = "\(Self.models)\(attribute)\nprotocol Model {\n    \(requirement)\n}"
        let complaints = try await Compiler.complaints(about: ["Model.swift": source])
        #expect(complaints.allSatisfy { $0.place == "Model.swift" && $0.line == 7 }, "\(complaints)")
        return complaints.map(\.message)
    }

    private static let serviceResult =
        "a service encodes the result: conform its type to 'Encodable' or 'Codable', or write '@JSONRPCProxy' if the peer "
        + "does not call this protocol"
    private static let serviceParam =
        "a service decodes the params: conform the parameter's type to 'Decodable' or 'Codable', or write "
        + "'@JSONRPCProxy' if the peer does not call this protocol"

    @Test(arguments: [
        ("func get() async throws -> OnlyDecodable", serviceResult),
        ("func get(id: Int) async throws -> [OnlyDecodable]", serviceResult),
        ("func get(id: Int) async throws -> Hidden", serviceResult),
        ("func put(_ value: OnlyEncodable) async throws", serviceParam),
        ("func put(_ value: OnlyEncodable?, id: Int) async throws", serviceParam),
        (
            "@RPC(params: .whole) func put(_ value: OnlyEncodable) async throws",
            "a service decodes the params and encodes the result: conform their types to 'Codable', or write "
                + "'@JSONRPCProxy' if the peer does not call this protocol"
        ),
    ])
    func aModelForOneDirectionIsToldWhatAServiceNeeds(requirement: String, hint: String) async throws {
        let messages = try await messages("@JSONRPCProxyAndService", requirement)
        #expect(messages.count == 1)
        #expect(messages.first?.hasSuffix(hint) == true, "\(messages)")
        #expect(try await self.messages("@JSONRPCProxy", requirement).isEmpty)
    }

    @Test(arguments: [
        (
            "func get() async throws -> OnlyEncodable",
            "a proxy decodes the result: conform its type to 'Decodable' or 'Codable'"
        ),
        (
            "@RPCSubscription(unsubscribe: nil) func feed() async throws -> Subscription<OnlyEncodable>",
            "a proxy decodes the values of a subscription: conform their type to 'Decodable' or 'Codable'"
        ),
        (
            "func put(value: OnlyDecodable) async throws",
            "a proxy encodes the arguments: conform the parameter's type to 'Encodable' or 'Codable'"
        ),
        (
            "func put(value: Neither?) async throws",
            "a proxy encodes the arguments: conform the parameter's type to 'Encodable' or 'Codable'"
        ),
        (
            "@RPC(params: .whole) func put(value: OnlyDecodable) async throws",
            "a proxy encodes the params: conform the parameter's type to 'Encodable' or 'Codable'"
        ),
    ])
    func aModelIsToldWhatAProxyNeeds(requirement: String, hint: String) async throws {
        let messages = try await messages("@JSONRPCProxy", requirement)
        #expect(!messages.isEmpty)
        #expect(messages.allSatisfy { $0.hasSuffix(hint) }, "\(messages)")
    }

    @Test(arguments: ["Int", "String?", "Swift.Bool"])
    func scalarsAreNoParams(type: String) async throws {
        let messages = try await messages(
            "@JSONRPCProxy", "@RPC(params: .whole) func put(_ value: \(type)) async throws")
        #expect(
            messages == [
                "params are an array or an object (JSON-RPC 2.0 §4.2), and '\(type)' is neither; write 'params: .byName' "
                    + "or 'params: .byPosition'"
            ])
    }

    @Test func aProxyOverATransportCompiles() async throws {
        let source = """
            @JSONRPCProxy
            protocol Model {
                func get(id: Int) async throws -> Int
                func later(id: Int, completion: @escaping @Sendable (Result<Int, any Error>) -> Void)
            }
            func proxies(_ object: some ObjectTransport, _ data: some DataTransport, _ caller: any JSONRPCCaller) {
                _ = ModelProxy(over: object)
                _ = ModelProxy(over: data, params: .byPosition)
                _ = ModelProxy(over: caller, params: .byPosition, completionQueue: .main)
                _ = ModelProxy(over: TransportCaller(over: object), completionQueue: .main)
            }
            """
        #expect(try await Compiler.complaints(about: ["Model.swift": source]).isEmpty)
    }

    @Test func aProxyWithAStreamIsToldWhatItNeeds() async throws {
        let source = """
            @JSONRPCProxy
            protocol Pushed {
                @RPCNotificationStream("n") var pushes: NotificationStream<Int> { get }
                func get(id: Int) async throws -> Int
            }
            func proxy(over client: JSONRPCClient) -> PushedProxy { PushedProxy(over: client, params: .byPosition) }
            func proxy(over session: any JSONRPCEndpoint) -> PushedProxy { PushedProxy(over: session) }
            func proxy(over caller: any JSONRPCCaller) -> PushedProxy { PushedProxy(over: caller) }
            func proxy(over transport: some ObjectTransport) -> PushedProxy { PushedProxy(over: transport) }
            func proxy(over transport: some DataTransport) -> PushedProxy { PushedProxy(over: transport, params: .byName) }
            """
        let complaints = try await Compiler.complaints(about: ["Pushed.swift": source])
        #expect(complaints.map(\.line).sorted() == [8, 9, 10])
        for complaint in complaints {
            #expect(
                complaint.message.hasSuffix(
                    "'pushes' is a stream of the peer's notifications: PushedProxy needs a 'JSONRPCEndpoint', a client or a "
                        + "session"))
        }
    }

    @Test func aProxyWithASubscriptionIsToldWhatItNeeds() async throws {
        let source = """
            @JSONRPCProxy
            protocol Feed {
                @RPCSubscription("s", unsubscribe: "u") func feed() async throws -> Subscription<Int>
            }
            func proxy(over session: any JSONRPCEndpoint) -> FeedProxy { FeedProxy(over: session) }
            func proxy(over subscriber: any NotificationSubscriber) -> FeedProxy { FeedProxy(over: subscriber) }
            func proxy(over caller: any JSONRPCCaller) -> FeedProxy { FeedProxy(over: caller) }
            """
        let complaints = try await Compiler.complaints(about: ["Feed.swift": source])
        #expect(complaints.map(\.line) == [7])
        #expect(
            complaints.first?.message.hasSuffix(
                "'feed' is a subscription: FeedProxy needs a 'JSONRPCEndpoint', a client or a session") == true)
    }
}
