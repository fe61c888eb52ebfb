// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import Synchronization
import TestSupport
import TestTurns
import Testing
import WebSocket

@Suite(.serialized, .withEachEngine, .inTurn(within: .seconds(60)))
struct Aria2FaultTests {
    /// aria2 holds the answer to a call with a wrong secret for a second, so that later calls overtake it.
    @Test func heldAnswersAreOvertakenAndStillFindTheirCalls() async throws {
        let (idsInUse, giveID) = AsyncStream.makeStream(of: RequestID.self)
        let lastID = Mutex<Int64>(0)
        var configuration = SessionConfiguration()
        configuration.calls.idGenerator = CustomIDGenerator {
            let id = lastID.withLock { number in
                number += 1
                return RequestID.number(number)
            }
            giveID.yield(id)
            return id
        }
        try await Aria2.run(secret: "open sesame") { [configuration] url, _, _ in
            try await withClient(to: url, configuration: configuration) { client in
                let session = try #require(client.session)
                let refused = Task {
                    try await client.call("aria2.getVersion", params: ["token:wrong"], as: RawJSON.self)
                }
                _ = await idsInUse.first { _ in true }  // Its request is in the outbox before any later one.
                let version: Aria2Version = try await client.call("aria2.getVersion", params: ["token:open sesame"])
                #expect(version.version.hasPrefix("1."))
                #expect(session.callCounts == (2, 1), "the first call is still held when the second is answered")
                let error = await #expect(throws: ErrorObject.self) { try await refused.value }
                #expect(error == ErrorObject(code: 1, message: "Unauthorized"))
            }
        }
    }

    /// A request above its limit is answered with an error that does not name the request. If the request is the only
    /// call in flight, the error can only be for it.
    @Test func aRequestAboveThePeersLimitFailsAndHarmsNoOtherCall() async throws {
        try await Aria2.run(maximumRequestSize: "64K") { url, _, _ in
            try await withClient(to: url) { client in
                let events = client.events
                let tooLarge = Task {
                    try await client.call(
                        "aria2.addUri", params: [[String(repeating: "x", count: 100_000)]], as: String.self,
                        timeout: nil)
                }
                let message = try await events.firstIrregular(.nullResponseID)
                #expect(message.error?.code == .parseError)
                #expect(message.irregularities.contains(.callAnsweredWithoutID))
                let error = await #expect(throws: ErrorObject.self) { try await tooLarge.value }
                #expect(error?.code == .parseError)
                let version: Aria2Version = try await client.call("aria2.getVersion")
                #expect(version.version.hasPrefix("1."))
                #expect(client.session?.callsInFlight == 0)
            }
        }
    }

    @Test func aKilledPeerEndsCallsInFlightWithUnknownOutcome() async throws {
        try await Aria2.run(secret: "open sesame") { url, _, aria2 in
            let client = try await JSONRPCClient.connect(to: url, webSocket: .tested)
            let session = try #require(client.session)
            let held = Task { try await client.call("aria2.getVersion", as: RawJSON.self) }
            try await yieldUntil("the call is issued") { session.callCounts.issued >= 1 }
            let version: Aria2Version = try await client.call("aria2.getVersion", params: ["token:open sesame"])
            #expect(version.version.hasPrefix("1."))
            aria2.signal(SIGKILL)
            let error = await #expect(throws: ClientError.self) { try await held.value }
            #expect(error?.code == .connectionLost)
            #expect(error?.delivery == .outcomeUnknown)
            await session.closed()
            #expect(session.closure?.initiator == .failure)
            #expect(session.callCounts == (2, 2))
            let late = await #expect(throws: ClientError.self) {
                try await client.call("aria2.getVersion", as: RawJSON.self)
            }
            #expect(late?.delivery == .notSent)
            await client.close()
        }
    }

    @Test func aPeerThatShutsDownAnswersAndThenEndsTheSession() async throws {
        try await Aria2.run { url, _, aria2 in
            let client = try await JSONRPCClient.connect(to: url, webSocket: .tested)
            let session = try #require(client.session)
            #expect(try await client.call("aria2.forceShutdown", as: String.self) == "OK")
            await session.closed()
            #expect(session.closure?.initiator != .local)
            #expect(try await aria2.exitStatus() == 0)
            await client.close()
        }
    }

    @Test func twoClientsOfOnePeerEachGetTheirOwnAnswers() async throws {
        try await Aria2.run { url, _, _ in
            try await withClient(to: url) { first in
                try await withClient(to: url) { second in
                    async let one = first.call("aria2.getSessionInfo", as: [String: String].self)
                    async let two = second.call("aria2.getVersion", as: Aria2Version.self)
                    let (info, version) = try await (one, two)
                    #expect(info["sessionId"]?.count == 40)
                    #expect(version.version.hasPrefix("1."))
                }
            }
        }
    }
}
