// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
package import JSONRPCSession
import Synchronization
import TestSupport
import WireJSON

/// The means to connect two sessions over a transport. The behaviour does not depend on the transport.
package struct SessionLink: Sendable {
    /// Starts a server. `accept` gets the session of each connection before anything arrives on it.
    package typealias Serve =
        @Sendable (
            _ accept: @escaping @Sendable (DuplexSession) -> Void
        ) async throws -> (connector: any MessageConnector, stop: @Sendable () async -> Void)

    let serve: Serve

    package init(serve: @escaping Serve) { self.serve = serve }
}

/// A behaviour that was expected of a session, but did not occur.
package struct BehaviourFailure: Error, CustomStringConvertible {
    package var description: String
}

/// The behaviour of sessions over any transport. Run each case over each transport.
package enum SessionBehaviour: String, CaseIterable, Sendable {
    case answersInAnyOrder
    case manyCallsAtOnce
    case errorsTravelAsTheyAre
    case notificationsKeepTheirOrder
    case serverCallsItsClient
    case cancellationReachesTheHandler
    case batchIsAnsweredMemberByMember
    case largeMessagesComeWhole
    case timeoutHarmsNoOtherCall
    case closeLetsCallsEnd
    case closeByThePeerFailsCalls

    /// Runs the case.
    ///
    /// - Throws: ``BehaviourFailure``, and the errors of calls.
    package func run(over link: SessionLink) async throws {
        switch self {
        case .answersInAnyOrder: try await Self.answersInAnyOrder(link)
        case .manyCallsAtOnce: try await Self.manyCallsAtOnce(link)
        case .errorsTravelAsTheyAre: try await Self.errorsTravelAsTheyAre(link)
        case .notificationsKeepTheirOrder: try await Self.notificationsKeepTheirOrder(link)
        case .serverCallsItsClient: try await Self.serverCallsItsClient(link)
        case .cancellationReachesTheHandler: try await Self.cancellationReachesTheHandler(link)
        case .batchIsAnsweredMemberByMember: try await Self.batchIsAnsweredMemberByMember(link)
        case .largeMessagesComeWhole: try await Self.largeMessagesComeWhole(link)
        case .timeoutHarmsNoOtherCall: try await Self.timeoutHarmsNoOtherCall(link)
        case .closeLetsCallsEnd: try await Self.closeLetsCallsEnd(link)
        case .closeByThePeerFailsCalls: try await Self.closeByThePeerFailsCalls(link)
        }
    }
}

/// A server and a client's session with it.
struct Linked {
    let client: DuplexSession
    /// The server's session.
    let server: DuplexSession
    let stop: @Sendable () async -> Void

    init(
        _ link: SessionLink, client configuration: SessionConfiguration = SessionConfiguration(),
        accept: @escaping @Sendable (DuplexSession) -> Void
    ) async throws {
        let accepted = EventLog<DuplexSession>()
        let (connector, stop) = try await link.serve { session in
            accept(session)
            accepted.record(session)
        }
        client = DuplexSession(configuration: configuration)
        self.stop = stop
        try await connector.connect(receiver: client.receiver)
        guard let server = await accepted.wait(count: 1).first else {
            throw BehaviourFailure(description: "No connection came in.")
        }
        self.server = server
    }

    /// Closes, and checks that nothing remains on either side.
    func end() async throws {
        await client.close()
        await server.closed()
        await stop()
        for (name, session) in [("client", client), ("server", server)] {
            let counts = session.callCounts
            try expect(counts.issued == counts.settled, "The \(name) has calls that never ended: \(counts).")
            try expect(session.callsInFlight == 0, "The \(name) has calls in flight after its end.")
        }
    }
}

/// Throws unless a condition holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    if !condition { throw BehaviourFailure(description: otherwise()) }
}

/// The error of an operation.
func failure<Value>(_ operation: () async throws -> Value) async throws -> any Error {
    do {
        let value = try await operation()
        throw BehaviourFailure(description: "It succeeded with \(value), and should have failed.")
    } catch let error as BehaviourFailure {
        throw error
    } catch {
        return error
    }
}
