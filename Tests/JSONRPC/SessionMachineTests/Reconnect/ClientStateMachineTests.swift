// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits
import TestTurns
import Testing

@testable import JSONRPCSession

/// Every order of the events of a client, for small bounds, without tasks and without time.
@Suite(.inTurn(within: .seconds(120))) struct ClientStateMachineTests {
    /// Tries the events of each new state. Returns the number of states, and the first fault with its events.
    private func explore(
        _ policy: ReconnectPolicy, _ fault: ClientModel.PlantedFault? = nil
    ) -> (states: Int, fault: String?) {
        let start = ClientModel(policy, fault: fault)
        var seen: Set<Int> = [start.fingerprint]
        var open: [(model: ClientModel, path: [ClientModel.Event])] = [(start, [])]
        while let visit = open.popLast() {
            for event in visit.model.events {
                var model = visit.model
                model.perform(event)
                if !model.faults.isEmpty { return (seen.count, "\(model.faults) by \(visit.path + [event])") }
                if seen.insert(model.fingerprint).inserted { open.append((model, visit.path + [event])) }
            }
        }
        return (seen.count, nil)
    }

    @Test(arguments: [ReconnectPolicy.never, .onLoss, .always])
    func everyOrderOfEventsKeepsTheInvariants(policy: ReconnectPolicy) {
        let (states, fault) = explore(policy)
        print("ClientStateMachineTests: \(states) states with \(policy.mode)")
        #expect(fault == nil)
        #expect(states > 100)
    }

    /// `run()` looks at the state before it waits, and the attempt of another task may have failed in between.
    @Test func aClientWithoutAnAttemptIsNotWaitedFor() {
        var machine = ClientModel.Machine(.onLoss)
        guard case .some(let end) = machine.endAwaited(CancellableWait()) else {
            Issue.record("The wait would not end.")
            return
        }
        #expect(end?.code == .notConnected)
    }

    @Test(arguments: ClientModel.PlantedFault.allCases)
    func aPlantedFaultIsFound(fault: ClientModel.PlantedFault) {
        #expect(explore(.always, fault).fault != nil)
    }
}
