// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

/// One protocol as proxy and as service.
@Suite(.inTurn(within: .seconds(60)))
struct CalculatorTests {
    @Test func theProxySendsWhatTheProtocolSays() async throws {
        let link = try await ScriptedLink()
        let calculator = CalculatorProxy(over: link.client)
        let ticks = calculator.ticks
        async let script: Void = link.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"addIntegers","params":{"first":10,"second":32}}
            <-- {"jsonrpc":"2.0","id":1,"result":42}
            --> {"jsonrpc":"2.0","id":2,"method":"math.sub","params":[42,23]}
            <-- {"jsonrpc":"2.0","id":2,"result":19}
            --> {"jsonrpc":"2.0","method":"log","params":{"line":"hi"}}
            <-- {"jsonrpc":"2.0","method":"calculator.tick","params":{"count":7}}
            """#)
        #expect(try await calculator.addIntegers(first: 10, second: 32) == 42)
        #expect(try await calculator.subtract(42, 23) == 19)
        try await calculator.log("hi")
        #expect(try await ticks.first { _ in true } == .value(Tick(count: 7)))
        try await script
        try await link.close()
    }

    @Test func theServiceBringsThePeersCallsToAnObject() async throws {
        let link = try await ScriptedLink()
        let mine = MyCalculator()
        link.client.serve(CalculatorService(mine))
        try await link.peer.play(
            #"""
            <-- {"jsonrpc":"2.0","id":1,"method":"addIntegers","params":{"first":10,"second":32}}
            --> {"jsonrpc":"2.0","id":1,"result":42}
            <-- {"jsonrpc":"2.0","id":2,"method":"addIntegers","params":[10,32]}
            --> {"jsonrpc":"2.0","id":2,"result":42}
            <-- {"jsonrpc":"2.0","id":3,"method":"math.sub","params":{"b":23,"a":42}}
            --> {"jsonrpc":"2.0","id":3,"result":19}
            <-- {"jsonrpc":"2.0","method":"log","params":["hi"]}
            """#)
        #expect(await mine.lines.wait(count: 1) == ["hi"])
        try await link.close()
    }

    @Test func aProxyCallsAService() async throws {
        let mine = MyCalculator()
        let link = try await ServedLink(SessionConfiguration(), CalculatorService(mine))
        let calculator = CalculatorProxy(over: link.client)
        #expect(try await calculator.addIntegers(first: 10, second: 32) == 42)
        #expect(try await calculator.subtract(10, 32) == -22)
        try await calculator.log("a")
        try await calculator.log("b")
        #expect(await mine.lines.wait(count: 2) == ["a", "b"])
        await link.client.close()
    }

    @Test func codeThatTakesTheProtocolTakesAProxyAndAMock() async throws {
        func sum(_ numbers: [Int], by calculator: any Calculator) async throws -> Int {
            var sum = 0
            for number in numbers { sum = try await calculator.addIntegers(first: sum, second: number) }
            return sum
        }
        let link = try await ServedLink(SessionConfiguration(), CalculatorService(MyCalculator()))
        #expect(try await sum([1, 2, 3], by: CalculatorProxy(over: link.client)) == 6)
        #expect(try await sum([1, 2, 3], by: MyCalculator()) == 6)
        await link.client.close()
    }

    @Test func aMocksNotificationsComeFromASource() async throws {
        let mine = MyCalculator()
        let ticks = (mine as any Calculator).ticks
        try mine.source.send(Tick(count: 1))
        try mine.source.send(Tick(count: 2))
        mine.source.finish()
        var counts: [Int] = []
        for try await tick in ticks.values { counts.append(tick.count) }
        #expect(counts == [1, 2])
    }
}
