// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

struct Aria2Version: Decodable, Sendable, Equatable {
    var version: String
    var enabledFeatures: [String]
}

@Suite(.serialized, .withEachEngine, .inTurn(within: .seconds(60)))
struct Aria2CallTests {
    @Test func callsAreAnsweredWithTypedResults() async throws {
        try await Aria2.run { url, _, _ in
            try await withClient(to: url) { client in
                let version: Aria2Version = try await client.call("aria2.getVersion")
                #expect(version.version.hasPrefix("1."))
                #expect(version.enabledFeatures.contains("HTTPS"))
                let methods: [String] = try await client.call("system.listMethods")
                #expect(methods.contains("aria2.addUri"))
                let notifications: [String] = try await client.call("system.listNotifications")
                #expect(notifications.contains("aria2.onDownloadStart"))
                let none: [RawJSON] = try await client.call("aria2.tellActive", params: [["gid", "status"]])
                #expect(none.isEmpty)
            }
        }
    }

    @Test func anUnknownMethodThrowsThePeersErrorObject() async throws {
        try await Aria2.run { url, _, _ in
            try await withClient(to: url) { client in
                let error = await #expect(throws: ErrorObject.self) {
                    try await client.call("aria2.noSuchMethod", as: RawJSON.self)
                }
                #expect(error?.code == 1)
                #expect(error?.message.contains("aria2.noSuchMethod") == true)
                let version: Aria2Version = try await client.call("aria2.getVersion")
                #expect(version.version.hasPrefix("1."))
            }
        }
    }

    @Test(arguments: [IDKind.numbers, .strings, .uuids])
    func idsOfEveryKindComeBack(kind: IDKind) async throws {
        var configuration = SessionConfiguration()
        configuration.calls.idGenerator = kind.generator
        try await Aria2.run { [configuration] url, _, _ in
            try await withClient(to: url, configuration: configuration) { client in
                let versions = try await withThrowingTaskGroup { group in
                    for _ in 0..<20 {
                        group.addTask { try await client.call("aria2.getVersion", as: Aria2Version.self) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(versions.count == 20)
                #expect(versions.allSatisfy { $0 == versions[0] })
            }
        }
    }

    enum IDKind: Sendable {
        case numbers, strings, uuids

        var generator: any IDGenerator {
            switch self {
            case .numbers: .numbers
            case .strings: .strings(prefix: "call \"é\" ")
            case .uuids: .uuids
            }
        }
    }

    @Test func aBatchIsAnsweredMemberByMember() async throws {
        try await Aria2.run { url, _, _ in
            try await withClient(to: url) { client in
                let outcomes = try await client.batch([
                    .call("aria2.getVersion"),
                    .call("aria2.noSuchMethod"),
                    .call("system.listMethods"),
                    .call("aria2.tellActive", params: [["gid"]]),
                ])
                try #require(outcomes.count == 4)
                let version = try #require(outcomes[0]).get().decode(as: Aria2Version.self)
                #expect(version.version.hasPrefix("1."))
                #expect(throws: CallError.self) { _ = try outcomes[1]?.get() }
                let methods = try #require(outcomes[2]).get().decode(as: [String].self)
                #expect(methods.contains("system.listMethods"))
                let active = try #require(outcomes[3]).get()
                #expect(active.text == "[]")
            }
        }
    }

    /// aria2 answers a notification, alone or in a batch, with an error whose id is `null`.
    @Test func errorsForNotificationsAreEventsAndFailNoCall() async throws {
        try await Aria2.run { url, _, _ in
            try await withClient(to: url) { client in
                let events = client.events
                try await client.notify("aria2.getVersion")
                #expect(try await events.firstIrregular(.nullResponseID).error?.code == .invalidRequest)

                let outcomes = try await client.batch([
                    .call("aria2.getVersion"), .notification("aria2.getVersion"), .call("system.listMethods"),
                ])
                #expect(try await events.firstIrregular(.nullResponseID).error?.code == .invalidRequest)
                try #require(outcomes.count == 3)
                let version = try #require(outcomes[0]).get().decode(as: Aria2Version.self)
                #expect(version.version.hasPrefix("1."))
                #expect(outcomes[1] == nil)
                let methods = try #require(outcomes[2]).get().decode(as: [String].self)
                #expect(methods.contains("aria2.addUri"))
            }
        }
    }

    @Test func aThousandCallsInFlightAreAllAnswered() async throws {
        try await Aria2.run { url, _, _ in
            try await withClient(to: url) { client in
                let session = try #require(client.session)
                let lists = try await withThrowingTaskGroup { group in
                    for _ in 0..<1000 {
                        group.addTask { try await client.call("system.listMethods", as: [String].self) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(lists.count == 1000)
                #expect(lists.allSatisfy { $0 == lists[0] && $0.contains("aria2.addUri") })
                #expect(session.callCounts == (1000, 1000))
                #expect(session.callsInFlight == 0)
            }
        }
    }

    /// aria2 answers every PING with a PONG and an error message with the id `null`.
    @Test func pingsAnsweredWithAnExtraErrorFailNoCall() async throws {
        var webSocket = WebSocketConfiguration.tested
        webSocket.pingInterval = .milliseconds(20)
        try await Aria2.run { [webSocket] url, _, _ in
            try await withClient(to: url, webSocket: webSocket) { client in
                var roundTrips = 0
                var extraErrors = 0
                for await event in client.events {
                    let version: Aria2Version = try await client.call("aria2.getVersion")
                    #expect(version.version.hasPrefix("1."))
                    switch event {
                    case .roundTrip(let time):
                        #expect(time > .zero)
                        roundTrips += 1
                    case .irregularMessage(let message):
                        #expect(message.irregularities.contains(.nullResponseID))
                        #expect(message.error?.code == .invalidRequest)
                        extraErrors += 1
                    case let other: Issue.record("unexpected event: \(other)")
                    }
                    if roundTrips >= 3, extraErrors >= 3 { break }
                }
            }
        }
    }
}
