// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn) struct ServedCallsTests {
    @Test(arguments: [RequestID.number(1), .string("a")])
    func ofTwoCallsWithOneIDTheFirstIsFound(id: RequestID) async {
        var table = ServedCalls()
        let first = table.insert(id, bytes: 10)
        let second = table.insert(id, bytes: 10)
        #expect(table.count == 2)
        table.remove(second)
        #expect(table.contains(id))
        table.remove(first)
        #expect(!table.contains(id))
        #expect(table.count == 0)
    }

    @Test func keyOfAnAnsweredCallMeansNoOther() async {
        var table = ServedCalls()
        let old = table.insert(.number(1), bytes: 10)
        table.remove(old)
        let new = table.insert(.number(2), bytes: 10)
        table.remove(old)
        #expect(table.contains(.number(2)))
        #expect(table.count == 1)
        let task = Task {}
        let oldIsWanted = table.setTask(task, for: old)
        #expect(oldIsWanted)
        #expect(table.tasks.isEmpty)
        let newIsWanted = table.setTask(task, for: new)
        #expect(newIsWanted)
        #expect(table.tasks == [task])
        await task.value
    }

    @Test func taskOfACallThatWasGivenUpIsUnwanted() async {
        var table = ServedCalls()
        let key = table.insert(.number(1), bytes: 10)
        let given = table.cancel(.number(1))
        let unknown = table.cancel(.number(2))
        #expect(given == nil && unknown == nil)
        let task = Task {}
        let isWanted = table.setTask(task, for: key)
        #expect(!isWanted)
        await task.value
    }
}
