// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import TestSupport
import TestTurns
import Testing

/// Proxies over JRPCProxy's kinds of transports: of objects, of bytes, and a caller made of a transport.
@Suite(.inTurn(within: .seconds(60)))
struct TransportProxyTests {
    enum Way: CaseIterable {
        case objectTransport, dataTransport, transportCaller

        func proxy(params: ParamsStructure) -> EchoByNameProxy {
            switch self {
            case .objectTransport: EchoByNameProxy(over: EchoObjectTransport(), params: params)
            case .dataTransport: EchoByNameProxy(over: EchoDataTransport(), params: params)
            case .transportCaller:
                EchoByNameProxy(over: TransportCaller(over: EchoDataTransport()), params: params)
            }
        }
    }

    @Test(arguments: Way.allCases, [ParamsStructure.byName, .byPosition])
    func everyCaseOfJRPCProxyWorks(way: Way, params: ParamsStructure) async throws {
        let proxy = way.proxy(params: params)
        for echo in JRPCProxyCaseTests.EchoCase.all { #expect(try await echo.isRight(proxy), "\(echo.method)") }
    }

    @Test func aTransportOfObjectsAndBytesGetsObjects() async throws {
        let transport = EchoTransport()
        #expect(try await EchoByNameProxy(over: transport).sayHello() == "Hello World!")
        #expect(try await EchoByNameProxy(over: transport, params: .byPosition).addIntegers(first: 1, second: 2) == 3)
        let hello: String = try await TransportCaller(over: transport).call("sayHello")
        #expect(hello == "Hello World!")
        #expect(transport.objects.seen == ["sayHello none", "addIntegers [1,2]", "sayHello none"])
    }

    @Test func aTransportOfObjectsGetsTheParamsOfTheSignature() async throws {
        let transport = EchoObjectTransport()
        let named = EchoByNameProxy(over: transport)
        let placed = EchoByNameProxy(over: transport, params: .byPosition)
        #expect(try await named.sayHello() == "Hello World!")
        #expect(try await named.addIntegers(first: 10, second: 32) == 42)
        #expect(try await placed.addIntegers(first: 10, second: 32) == 42)
        #expect(
            transport.seen == [
                "sayHello none", #"addIntegers {"first":10,"second":32}"#, "addIntegers [10,32]",
            ])
    }

    // MARK: Faults of JRPCProxy, which left all checks to the transport

    private func outcome(_ answer: String) async -> Result<Int, any Error> {
        let proxy = EchoByNameProxy(over: FixedDataTransport(answer: answer))
        do { return .success(try await proxy.echoInteger(value: 1)) } catch { return .failure(error) }
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"result":1,"error":null}"#, #"[{"jsonrpc":"2.0","id":1,"result":1}]"#,
    ])
    func errorNullAndArraysAreRead(answer: String) async throws {
        #expect(try await outcome(answer).get() == 1)
    }

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":1,"result":null}"#, ClientError.Code.decodingFailed),
        (#"{"jsonrpc":"2.0","id":1}"#, .protocolViolation),
        (#"{"jsonrpc":"2.0","id":99,"result":1}"#, .missingResponse),
        ("[]", .protocolViolation), ("", .missingResponse), ("<html>", .protocolViolation),
    ])
    func answersThatCannotBeUsedAreErrors(answer: String, code: ClientError.Code) async throws {
        let outcome = await outcome(answer)
        #expect(#expect(throws: ClientError.self) { try outcome.get() }?.code == code)
    }

    /// In JRPCProxy, a proxy that was released before the answer never called its handler.
    @Test func aReleasedProxyStillAnswers() async throws {
        let transport = HeldTransport()
        let log = EventLog<Int>()
        var caller: TransportCaller? = TransportCaller(over: transport)
        var callbacks = caller.map { CallbacksProxy(over: $0) }
        callbacks?.add(first: 1, second: 2) { log.record((try? $0.get()) ?? -1) }
        for await _ in transport.asked { break }
        (callbacks, caller) = (nil, nil)
        transport.answer.yield()
        #expect(await log.wait(count: 1) == [3])
        #expect(callbacks == nil && caller == nil)
    }
}
