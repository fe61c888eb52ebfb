// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket

// One workload of notifications, one line of JSON: the counterpart of Benchmarks/Peers/ws_consumer.mjs.
//
//   stream-probe serve                         prints "listening on port N"
//   stream-probe stream URL COUNT              notifications of one method
//   stream-probe subscriptions URL COUNT N     notifications of N subscriptions, one task for each
//   stream-probe round-trips URL COUNT RATE    calls, one after the other, beside RATE notifications per second
//   stream-probe memory URL KIND N             bytes per KIND: session, call, subscription

let words = Array(CommandLine.arguments.dropFirst())
do {
    switch (words.first, words.dropFirst(2).first.flatMap { Int($0) }, words.dropFirst(3).first.flatMap { Int($0) }) {
    case ("serve", _, _): try await FloodServer.run()
    case ("stream", let count?, _): try await Consumer(url: words[1]).stream(count)
    case ("subscriptions", let count?, let number?): try await Consumer(url: words[1]).subscriptions(number, count)
    case ("round-trips", let count?, let rate?): try await Consumer(url: words[1]).roundTrips(count, rate: rate)
    case ("memory", nil, let number?) where words.count == 4:
        try await MemoryProbe(url: words[1], number: number).run(words[2])
    default: throw ProbeFailure("The words \(words) are no workload: see main.swift.")
    }
} catch {
    FileHandle.standardError.write(Data("stream-probe: \(error)\n".utf8))
    exit(1)
}

struct ProbeFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
