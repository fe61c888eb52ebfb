// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import JSONRPCMacros
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

/// JRPCProxy's features, row by row of the table, and its defects.
@Suite(.inTurn(within: .seconds(60)))
struct JRPCProxyRowTests {
    @Test func rowTypedRequestAndResponseWithoutObjC() async throws {
        let link = try await ServedLink(SessionConfiguration(), EchoByNameService(EchoServer()))
        let point = try await EchoByNameProxy(over: link.client).echoObject(value: Point(x: 1, label: "a"))
        #expect(point == Point(x: 1, label: "a"))
        await link.client.close()
    }

    @Test func rowPositionalAndNamedParamsFromTheSignature() async throws {
        let link = try await ScriptedLink()
        let named = Task { [client = link.client] in
            try await EchoByNameProxy(over: client).appendStrings(first: "a", second: "b")
        }
        let request = try await link.peer.expectRequest("appendStrings", params: ["first": "a", "second": "b"])
        try link.peer.reply(to: request, result: "ab")
        let placed = Task { [client = link.client] in
            try await EchoByPositionProxy(over: client).appendStrings(first: "a", second: "b")
        }
        try link.peer.reply(
            to: await link.peer.expectRequest("appendStrings", params: ["a", "b"]), result: "ab")
        #expect(try await named.value == "ab")
        #expect(try await placed.value == "ab")
        try await link.close()
    }

    @Test func rowOneProtocolIsCalledByNameAndByPosition() async throws {
        let link = try await ScriptedLink()
        let proxy = EchoByNameProxy(over: link.client, params: .byPosition)
        let call = Task { try await proxy.appendStrings(first: "a", second: "b") }
        try link.peer.reply(to: await link.peer.expectRequest("appendStrings", params: ["a", "b"]), result: "ab")
        #expect(try await call.value == "ab")
        try await link.close()
    }

    @Test func rowNumberIDsAreThreadSafe() async throws {
        let link = try await ServedLink(SessionConfiguration(), EchoByNameService(EchoServer()))
        let proxy = EchoByNameProxy(over: link.client)
        let numbers = try await withThrowingTaskGroup { group in
            for number in 0..<1000 { group.addTask { try await proxy.echoInteger(value: number) } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(numbers == Set(0..<1000))
        #expect(link.client.callCounts == (1000, 1000))
        await link.client.close()
    }

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":1}"#, ClientError.Code.protocolViolation),
        (#"{"jsonrpc":"2.0","id":1,"error":7}"#, .protocolViolation),
        (#"{"jsonrpc":"2.0","id":1,"result":"x"}"#, .decodingFailed),
    ])
    func rowMalformedResponsesHaveTheirOwnErrors(response: String, code: ClientError.Code) async throws {
        let link = try await ScriptedLink()
        let client = link.client
        let call = Task { try await EchoByNameProxy(over: client).echoInteger(value: 1) }
        try await link.peer.expectRequest("echoInteger")
        try link.peer.send(response)
        #expect(await #expect(throws: ClientError.self) { try await call.value }?.code == code)
        try await link.close()
    }

    @Test func rowStandardErrorCodesAreNamed() {
        let codes: [ErrorObject.Code] = [.parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError]
        #expect(codes == [-32700, -32600, -32601, -32602, -32603])
    }

    @Test func rowErrorDataIsKept() async throws {
        let link = try await ScriptedLink()
        let client = link.client
        let call = Task { try await EchoByNameProxy(over: client).sayHello() }
        let thrown = ErrorObject(code: 5, message: "m", data: try RawJSON(validating: #"{"retry":[1,2]}"#))
        try link.peer.reply(to: await link.peer.expectRequest(), error: thrown)
        #expect(await #expect(throws: ErrorObject.self) { try await call.value }?.data == thrown.data)
        try await link.close()
    }

    @Test func rowAnErrorWithoutAnIDIsShown() async throws {
        let link = try await ScriptedLink()
        let events = link.client.events
        try link.peer.send(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#)
        var errors: [ErrorObject?] = []
        for await case .irregularMessage(let message) in events {
            errors.append(message.error)
            break
        }
        #expect(errors == [ErrorObject(.parseError)])
        try await link.close()
    }

    @Test func rowMarshallingHookBothWays() async throws {
        let link = try await ServedLink(SessionConfiguration(), AlmanacService(MyAlmanac()))
        let inverted = try await AlmanacProxy(over: link.client).invert(fraction: Fraction(1, 2))
        #expect(inverted == Fraction(2, 1))
        await link.client.close()
    }

    @Test func rowCallbackQueueIsChosen() async throws {
        let link = try await ServedLink(SessionConfiguration(), CallbacksService(MyCallbacks()))
        let log = EventLog<String>()
        let queue = CompletionQueue { completion in
            log.record("submitted")
            completion()
        }
        CallbacksProxy(over: link.client, completionQueue: queue).add(first: 1, second: 2) {
            log.record("\((try? $0.get()) ?? 0)")
        }
        #expect(await log.wait(count: 2) == ["submitted", "3"])
        await link.client.close()
    }

    @Test func rowACallIsCancelledAlone() async throws {
        let link = try await ScriptedLink()
        let proxy = EchoByNameProxy(over: link.client)
        let first = Task { try await proxy.echoInteger(value: 1) }
        let one = try await link.peer.expectRequest()
        let second = Task { try await proxy.echoInteger(value: 2) }
        try await link.peer.expectRequest()
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        try link.peer.reply(to: one, result: 1)
        #expect(try await first.value == 1)
        try await link.close()
    }

    @Test func rowErrorsOfThreeStagesAreTold() async throws {
        let link = try await ScriptedLink()
        let client = link.client
        let request = await #expect(throws: ClientError.self) {
            try await EchoByNameProxy(over: client).echoDouble(value: .infinity)
        }
        #expect(request?.code == .encodingFailed)
        #expect(request?.delivery == .notSent)
        let response = Task { try await EchoByNameProxy(over: client).echoDouble(value: 1) }
        try link.peer.reply(to: await link.peer.expectRequest(), result: "x")
        #expect(await #expect(throws: ClientError.self) { try await response.value }?.code == .decodingFailed)
        let connection = Task { try await EchoByNameProxy(over: client).echoDouble(value: 1) }
        try await link.peer.expectRequest()
        link.peer.drop()
        #expect(await #expect(throws: ClientError.self) { try await connection.value }?.code == .connectionLost)
    }

    // MARK: Faults of JRPCProxy

    @Test func faultErrorNullBesideAResultCrashed() async throws {
        let link = try await ScriptedLink()
        let client = link.client
        let call = Task { try await EchoByNameProxy(over: client).echoInteger(value: 1) }
        try await link.peer.expectRequest()
        try link.peer.send(#"{"jsonrpc":"2.0","id":1,"result":1,"error":null}"#)
        #expect(try await call.value == 1)
        try await link.close()
    }

    @Test func faultArrayAsAReplyCrashed() async throws {
        let link = try await ScriptedLink()
        let client = link.client
        let call = Task { try await EchoByNameProxy(over: client).echoInteger(value: 1) }
        try await link.peer.expectRequest()
        try link.peer.send(#"[{"jsonrpc":"2.0","id":1,"result":1}]"#)
        #expect(try await call.value == 1)
        try await link.close()
    }

    @Test func faultNilArgumentCrashed() async throws {
        let link = try await ScriptedLink()
        let client = link.client
        let call = Task { try await OptionalsProxy(over: client).placed(nil, nil, 3) }
        try link.peer.reply(to: await link.peer.expectRequest("placed", params: [.null, .null, 3]), result: .null)
        try await call.value
        try await link.close()
    }

    @Test func faultResultNullOfATypeCrashed() async throws {
        let link = try await ScriptedLink()
        let client = link.client
        let call = Task { try await EchoByNameProxy(over: client).echoObject(value: Point(x: 1, label: "")) }
        try link.peer.reply(to: await link.peer.expectRequest(), result: .null)
        #expect(await #expect(throws: ClientError.self) { try await call.value }?.code == .decodingFailed)
        try await link.close()
    }

    @Test func faultIDOfTheResponseWentUnchecked() async throws {
        let link = try await ScriptedLink()
        let client = link.client
        let call = Task { try await EchoByNameProxy(over: client).echoInteger(value: 1) }
        let request = try await link.peer.expectRequest()
        try link.peer.send(#"{"jsonrpc":"2.0","id":99,"result":99}"#)
        try link.peer.send(#"{"jsonrpc":"2.0","id":"x","result":98}"#)
        try link.peer.reply(to: request, result: 1)
        #expect(try await call.value == 1)
        try await link.close()
    }

    @Test func faultNeitherResultNorErrorWasSilent() async throws {
        let link = try await ScriptedLink()
        let client = link.client
        let call = Task { try await NamesProxy(over: client).nothing() }
        try await link.peer.expectRequest()
        try link.peer.send(#"{"jsonrpc":"2.0","id":1}"#)
        #expect(await #expect(throws: ClientError.self) { try await call.value }?.code == .protocolViolation)
        try await link.close()
    }

    @Test func faultReleasedProxyNeverAnswered() async throws {
        let link = try await ScriptedLink()
        let log = EventLog<Int>()
        var proxy: CallbacksProxy? = CallbacksProxy(over: link.client)
        proxy?.add(first: 1, second: 2) { log.record((try? $0.get()) ?? -1) }
        let request = try await link.peer.expectRequest("add")
        proxy = nil
        try link.peer.reply(to: request, result: 3)
        #expect(await log.wait(count: 1) == [3])
        #expect(proxy == nil)
        try await link.close()
    }
}
