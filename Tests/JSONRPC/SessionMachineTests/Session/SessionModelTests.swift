// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

/// Every order of events for small bounds, and random orders for larger ones, without threads and without time.
///
/// `MODEL_WALKS` is the number of random orders. One test runs at a time, which leaves a thread for other suites.
@Suite(.serialized, .inTurn(within: .seconds(300))) struct SessionModelTests {
    /// A state that was reached, and the events that led to it.
    private struct Visit {
        var model: SessionModel
        var path: [SessionModel.Event]
    }

    /// Tries the events of each new state, breadth first. Returns the number of states, and the first faults with the
    /// events that led to them.
    private func explore(
        _ bounds: SessionModel.Bounds, fault: SessionModel.PlantedFault? = nil, limit: Int
    ) -> (states: Int, isComplete: Bool, fault: String?) {
        let start = SessionModel(bounds, fault: fault)
        var seen: Set<Int> = [start.fingerprint]
        var open = [Visit(model: start, path: [])]
        var place = 0
        while place < open.count {
            let visit = open[place]
            place += 1
            for event in visit.model.events {
                var model = visit.model
                model.perform(event)
                if !model.faults.isEmpty {
                    return (seen.count, false, "\(model.faults) by \(visit.path + [event])")
                }
                guard seen.insert(model.fingerprint).inserted else { continue }
                if seen.count >= limit { return (seen.count, false, nil) }
                open.append(Visit(model: model, path: visit.path + [event]))
            }
            if place > 10_000 {
                open.removeFirst(place)
                place = 0
            }
        }
        return (seen.count, true, nil)
    }

    /// The bounds whose orders are all tried. With `MODEL_WALKS`, there are more of them.
    private static var completeBounds: [SessionModel.Bounds] {
        let few = [
            SessionModel.Bounds(calls: 2, arrays: 0, notifications: 1, served: 0, cancellations: 1, inFlight: 1),
            SessionModel.Bounds(
                calls: 1, arrays: 1, notifications: 0, served: 1, cancellations: 0, inFlight: 2, sendsAnswers: false),
        ]
        guard getenv("MODEL_WALKS") != nil else { return few }
        return few + [
            SessionModel.Bounds(
                calls: 1, arrays: 1, notifications: 0, served: 1, cancellations: 1, inFlight: 2, sendsAnswers: false)
        ]
    }

    @Test(arguments: completeBounds)
    func everyOrderOfFewEventsKeepsTheInvariants(bounds: SessionModel.Bounds) {
        let (states, isComplete, fault) = explore(bounds, limit: 2_000_000)
        print("SessionModelTests: \(states) states with \(bounds)")
        #expect(fault == nil)
        #expect(isComplete && states > 1000)
    }

    /// Three calls, an array, a notification, two served calls and two cancellations have too many states, so only the
    /// first ones are tried.
    @Test func theFirstStatesOfMoreEventsKeepTheInvariants() {
        let limit = getenv("MODEL_WALKS") == nil ? 20_000 : 1_000_000
        let (states, _, fault) = explore(SessionModel.Bounds(served: 2), limit: limit)
        print("SessionModelTests: \(states) states of more")
        #expect(fault == nil)
        #expect(states >= limit)
    }

    @Test(arguments: SessionModel.PlantedFault.allCases)
    func aPlantedFaultIsFound(fault: SessionModel.PlantedFault) {
        #expect(explore(SessionModel.Bounds(), fault: fault, limit: 20_000).fault != nil)
    }

    @Test func longRandomOrdersKeepTheInvariants() {
        let bounds = SessionModel.Bounds(
            calls: 30, arrays: 8, notifications: 8, served: 3, cancellations: 12, inFlight: 5)
        let walks = getenv("MODEL_WALKS").flatMap { Int(String(cString: $0)) } ?? 300
        var random = SeededGenerator(seed: 33)
        var count = 0
        for _ in 0..<walks {
            var model = SessionModel(bounds)
            var path: [SessionModel.Event] = []
            while model.faults.isEmpty, path.count < 300, let event = next(model, &random) {
                model.perform(event)
                path.append(event)
            }
            count += path.count
            guard model.faults.isEmpty else {
                Issue.record("\(model.faults) by \(path)")
                return
            }
        }
        print("SessionModelTests: \(walks) random orders with \(count) events")
    }

    /// Events that end the session are rare, so that orders get long.
    private func next(_ model: SessionModel, _ random: inout SeededGenerator) -> SessionModel.Event? {
        let events = model.events
        for _ in 0..<8 {
            guard let event = events.randomElement(using: &random) else { return nil }
            switch event {
            case .failToConnect, .transportClosed, .violate, .close, .closeNow, .hasten:
                if random.oneIn(30) { return event }
            default: return event
            }
        }
        return events.randomElement(using: &random)
    }
}
