// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct BatchFactoryTests {
    private let subtract = Subtract(minuend: 42, subtrahend: 23)

    @Test("K3, K1: requests of different types make an array in their order, with ids 1…n")
    func arrayInOrder() throws {
        let batch = try BatchFactory().create(subtract, GetData(), Log("hi"))
        #expect(
            String(decoding: batch.bytes, as: UTF8.self)
                == #"[{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]},"#
                + #"{"jsonrpc":"2.0","id":2,"method":"get_data"},{"jsonrpc":"2.0","method":"log","params":["hi"]}]"#)
        #expect(batch.ids == [1, 2, nil])
        #expect(batch.expectsResponse)
        #expect(
            try batch.requestObject == [
                ["jsonrpc": "2.0", "id": 1, "method": "subtract", "params": [42, 23]],
                ["jsonrpc": "2.0", "id": 2, "method": "get_data"],
                ["jsonrpc": "2.0", "method": "log", "params": ["hi"]],
            ])
    }

    @Test("K3: a batch of one is an object, however it is made")
    func batchOfOne() throws {
        let factory = BatchFactory()
        #expect(try factory.create(subtract).requestObject.objectValue?["id"] == 1)
        #expect(try factory.create([subtract]).requestObject.objectValue?["id"] == 2)
        #expect(try factory.create(mixed: [subtract]).requestObject.objectValue?["id"] == 3)
    }

    @Test("K3 >6: seven and more requests of different types")
    func moreThanSix() throws {
        let batch = try BatchFactory().create(
            subtract, GetData(), subtract, Log("a"), GetData(), subtract, CountOfMembers(), subtract)
        #expect(batch.ids == [1, 2, 3, nil, 4, 5, 6, 7])
        let answer = (1...7).reversed().map { id -> JSONValue in
            let result: JSONValue = id == 6 ? ["a": 1, "b": 2] : .number(JSONNumber(id * 10))
            return ["jsonrpc": "2.0", "id": .number(JSONNumber(id)), "result": result]
        }
        let (a, b, c, _, e, f, g, h) = try batch.responses(from: .array(answer))
        #expect([a, c, f, g, h] == [10, 30, 50, 2, 70])
        #expect([b, e] == [20, 40])
    }

    @Test("K3 create-6 label: six requests are made like any other number")
    func sixWithoutALabel() throws {
        let batch = try BatchFactory().create(subtract, subtract, subtract, subtract, subtract, subtract)
        #expect(batch.ids == [1, 2, 3, 4, 5, 6])
    }

    @Test("K1: any number of requests of one type")
    func uniform() throws {
        let requests = (0..<100).map { Subtract(minuend: $0, subtrahend: 1) }
        let batch = try BatchFactory().create(requests)
        #expect(batch.ids == (1...100).map { .number($0) })
        let answer = (1...100).map { id -> JSONValue in
            if id == 40 { return ["jsonrpc": "2.0", "id": 40, "error": ["code": 5, "message": "forty"]] }
            return ["jsonrpc": "2.0", "id": .number(JSONNumber(id)), "result": .number(JSONNumber(-id))]
        }
        let results = batch.results(from: .array(answer.shuffled()))
        for (index, result) in results.enumerated() where index != 39 { #expect(result == .success(-index - 1)) }
        #expect(results[39].failure?.errorObject == ErrorObject(code: 5, message: "forty"))
        #expect(throws: CallError.answered(ErrorObject(code: 5, message: "forty"))) {
            try batch.responses(from: .array(answer))
        }
    }

    @Test func mixedList() throws {
        let requests: [any JSONRPCRequest] = [subtract, Log("x"), GetData()]
        let batch = try BatchFactory().create(mixed: requests)
        #expect(batch.ids == [1, nil, 2])
        let answer: JSONValue = [
            ["jsonrpc": "2.0", "id": 2, "result": "data"], ["jsonrpc": "2.0", "id": 1, "result": 19],
        ]
        let responses = try batch.responses(from: answer)
        #expect(responses[0] as? Int == 19)
        #expect(responses[1] is Void)
        #expect(responses[2] as? JSONValue == "data")
    }

    @Test("K3: notifications alone make a batch that needs no answer")
    func notificationsAlone() throws {
        let batch = try BatchFactory().create(Log("a"), Log("b"))
        #expect(!batch.expectsResponse)
        #expect(batch.ids == [nil, nil])
        let _: (Void, Void) = try batch.responses(from: [] as [UInt8])
        let single = try BatchFactory().create(Log("a"))
        #expect(!single.expectsResponse)
        #expect(try single.requestObject == ["jsonrpc": "2.0", "method": "log", "params": ["a"]])
        let _: Void = try single.responses(from: [] as [UInt8])
    }

    @Test func emptyBatchIsRefused() throws {
        let factory = BatchFactory()
        let uniform = try #require(throws: ClientError.self) { try factory.create([Subtract]()) }
        #expect(uniform.code == .emptyBatch)
        let mixed = try #require(throws: ClientError.self) { try factory.create(mixed: []) }
        #expect(mixed.code == .emptyBatch)
        #expect(try #require(throws: ClientError.self) { try factory.create() }.code == .emptyBatch)
    }

    @Test("K3: ids come from the generator, and those of one batch follow each other")
    func idGenerators() throws {
        let strings = try BatchFactory(idGenerator: .strings(prefix: "a-")).create(subtract, Log("x"), subtract)
        #expect(strings.ids == ["a-1", nil, "a-2"])
        let uuids = try BatchFactory(idGenerator: .uuids).create(subtract, subtract).ids
        #expect(Set(uuids).count == 2)
        let factory = BatchFactory(idGenerator: CustomIDGenerator { 7 })
        #expect(try factory.create(subtract).ids == [7])
        #expect(
            try #require(throws: ClientError.self) { try factory.create(subtract, subtract) }.code == .requestIDInUse)
    }

    @Test("K3, JP id race: 9 999 batches made at once take the ids 1 to 9 999, and the next is 10 000")
    func createdAtOnce() async throws {
        let factory = BatchFactory()
        let subtract = subtract
        let ids = try await withThrowingTaskGroup(of: [RequestID].self) { group in
            for _ in 0..<9 {
                group.addTask { try (0..<1111).map { _ in try #require(factory.create(subtract).ids[0]) } }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(ids) == Set((1...9999).map { .number($0) }))
        #expect(try factory.create(subtract).ids == [10_000])
    }

    @Test func idsOfOneBatchAreContiguousWhenManyAreMadeAtOnce() async throws {
        let factory = BatchFactory()
        let subtract = subtract
        try await withThrowingTaskGroup(of: [RequestID?].self) { group in
            for _ in 0..<500 { group.addTask { try factory.create(subtract, Log("x"), subtract, subtract).ids } }
            for try await ids in group {
                guard case .number(let first) = ids[0] else { throw Refused(reason: 0) }
                #expect(ids == [.number(first), nil, .number(first + 1), .number(first + 2)])
            }
        }
    }

    @Test func versionMemberIsOmittedOnDemand() throws {
        let batch = try BatchFactory(version: .omitted).create(subtract)
        #expect(String(decoding: batch.bytes, as: UTF8.self) == #"{"id":1,"method":"subtract","params":[42,23]}"#)
        #expect(try batch.responses(from: ["id": 1, "result": 19]) == 19)
    }

    @Test func everyBatchCanBeUsedThroughTheProtocol() throws {
        func roundTrip<B: Batch>(_ batch: B, _ answer: JSONValue) throws(CallError) -> B.Responses {
            try batch.responses(from: answer)
        }
        let (a, b) = try roundTrip(
            BatchFactory().create(subtract, subtract),
            [["jsonrpc": "2.0", "id": 1, "result": 1], ["jsonrpc": "2.0", "id": 2, "result": 2]])
        #expect([a, b] == [1, 2])
    }
}
