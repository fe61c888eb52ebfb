// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCMacros
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

extension MessageCoder where Self == WireJSONCoder {
    static var isoDates: WireJSONCoder {
        var coder = WireJSONCoder()
        coder.encoder.dateEncodingStrategy = .iso8601
        coder.decoder.dateDecodingStrategy = .iso8601
        return coder
    }

    static var snakeCase: WireJSONCoder {
        var coder = WireJSONCoder()
        coder.encoder.keyEncodingStrategy = .convertToSnakeCase
        coder.decoder.keyDecodingStrategy = .convertFromSnakeCase
        return coder
    }
}

/// A type that defines its own JSON, which JRPCProxy called transformable.
struct Fraction: Codable, Sendable, Equatable {
    var numerator: Int
    var denominator: Int

    init(_ numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    struct Malformed: Error {}

    init(from decoder: any Decoder) throws {
        let parts = try decoder.singleValueContainer().decode(String.self).split(separator: "/").compactMap { Int($0) }
        guard parts.count == 2 else { throw Malformed() }
        self.init(parts[0], parts[1])
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(numerator)/\(denominator)")
    }
}

@JSONRPCProxyAndService
protocol Almanac {
    @RPC(coder: .isoDates) func next(after: Date) async throws -> Date
    func plain(date: Date) async throws -> Date
    @RPCNotification(coder: .isoDates) func note(date: Date) async throws
    @RPCNotificationStream("alarm", decoding: .report, coder: .isoDates) var alarms: NotificationStream<[Date]> { get }
    func invert(fraction: Fraction) async throws -> Fraction
}

struct MyAlmanac: Almanac {
    let notes = EventLog<Date>()
    var alarms: NotificationStream<[Date]> { NotificationSource<[Date]>().stream }

    func next(after: Date) async throws -> Date { after.addingTimeInterval(86_400) }
    func plain(date: Date) async throws -> Date { date }
    func note(date: Date) async throws { notes.record(date) }
    func invert(fraction: Fraction) async throws -> Fraction { Fraction(fraction.denominator, fraction.numerator) }
}

@Suite(.inTurn(within: .seconds(60)))
struct CodersTests {
    private let epoch = Date(timeIntervalSince1970: 0)

    @Test func aMethodsCoderEncodesItsParamsAndDecodesItsResult() async throws {
        let link = try await ScriptedLink()
        let proxy = AlmanacProxy(over: link.client)
        async let script: Void = link.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"next","params":{"after":"1970-01-01T00:00:00Z"}}
            <-- {"jsonrpc":"2.0","id":1,"result":"1970-01-02T00:00:00Z"}
            --> {"jsonrpc":"2.0","id":2,"method":"plain","params":{"date":-978307200}}
            <-- {"jsonrpc":"2.0","id":2,"result":-978307200}
            --> {"jsonrpc":"2.0","method":"note","params":{"date":"1970-01-01T00:00:00Z"}}
            """#)
        #expect(try await proxy.next(after: epoch) == epoch.addingTimeInterval(86_400))
        #expect(try await proxy.plain(date: epoch) == epoch)
        try await proxy.note(date: epoch)
        try await script
        try await link.close()
    }

    @Test func aServicesMethodUsesItsCoderToo() async throws {
        let link = try await ScriptedLink()
        let mine = MyAlmanac()
        link.client.serve(AlmanacService(mine))
        try await link.peer.play(
            #"""
            <-- {"jsonrpc":"2.0","id":1,"method":"next","params":["1970-01-01T00:00:00Z"]}
            --> {"jsonrpc":"2.0","id":1,"result":"1970-01-02T00:00:00Z"}
            <-- {"jsonrpc":"2.0","method":"note","params":["1970-01-01T00:00:00Z"]}
            """#)
        #expect(await mine.notes.wait(count: 1) == [epoch])
        try await link.close()
    }

    @Test func aStreamUsesItsCoderAndItsPolicies() async throws {
        let link = try await ScriptedLink()
        let alarms = AlmanacProxy(over: link.client).alarms
        try link.peer.notify("alarm", params: [1])
        try link.peer.notify("alarm", params: ["1970-01-01T00:00:00Z"])
        var iterator = alarms.makeAsyncIterator()
        guard case .gap(let gap)? = try await iterator.next(), case .undecodable = gap.reason else {
            return #expect(Bool(false), "a number was taken for a date")
        }
        #expect(try await iterator.next() == .value([epoch]))
        try await link.close()
    }

    @Test func theClientsCoderIsThatOfItsProxiesAndServices() async throws {
        var configuration = SessionConfiguration()
        configuration.coder = .snakeCase
        let client = DuplexSession(configuration: configuration)
        let peer = ScriptedPeer()
        try await peer.connector.connect(receiver: client.receiver)
        client.serve(SnakesService(MySnakes()))
        async let script: Void = peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"charm","params":{"first_snake":{"full_name":"kaa"}}}
            <-- {"jsonrpc":"2.0","id":1,"result":{"full_name":"nag"}}
            """#)
        #expect(try await SnakesProxy(over: client).charm(firstSnake: Snake(fullName: "kaa")) == Snake(fullName: "nag"))
        try await script
        try await peer.play(
            #"""
            <-- {"jsonrpc":"2.0","id":1,"method":"charm","params":{"first_snake":{"full_name":"kaa"}}}
            --> {"jsonrpc":"2.0","id":1,"result":{"full_name":"kaa kaa"}}
            """#)
        await client.close()
    }

    @Test func aTypeSaysItselfWhatItIsOnTheWire() async throws {
        let link = try await ScriptedLink()
        link.client.serve(AlmanacService(MyAlmanac()))
        async let script: Void = link.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"invert","params":{"fraction":"1/2"}}
            <-- {"jsonrpc":"2.0","id":1,"result":"2/1"}
            """#)
        #expect(try await AlmanacProxy(over: link.client).invert(fraction: Fraction(1, 2)) == Fraction(2, 1))
        try await script
        try await link.peer.play(
            #"""
            <-- {"jsonrpc":"2.0","id":1,"method":"invert","params":["3/4"]}
            --> {"jsonrpc":"2.0","id":1,"result":"4/3"}
            <-- {"jsonrpc":"2.0","id":2,"method":"invert","params":["3"]}
            --> {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid params: \"fraction\" is not valid","data":{"param":"fraction"}}}
            """#)
        try await link.close()
    }
}

struct Snake: Codable, Sendable, Equatable {
    var fullName: String
}

@JSONRPCProxyAndService
protocol Snakes {
    func charm(firstSnake: Snake) async throws -> Snake
}

struct MySnakes: Snakes {
    func charm(firstSnake: Snake) async throws -> Snake {
        Snake(fullName: "\(firstSnake.fullName) \(firstSnake.fullName)")
    }
}
