// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import JSONRPCMacros
import JSONRPCTesting
import Synchronization
import TestSupport
import TestTurns
import Testing

@JSONRPCProxyAndService
protocol Callbacks {
    func add(first: Int, second: Int, completion: @escaping @Sendable (Result<Int, any Error>) -> Void)
    @RPC(params: .byPosition)
    func touch(_ number: Int, _: @escaping @Sendable (Result<Void, any Error>) -> Void)
    @RPCNotification func log(line: String, done: @escaping @Sendable (Result<Void, any Error>) -> Void)
    @discardableResult
    func slow(then completion: @escaping @Sendable (Result<String, any Error>) -> Void) -> Task<Void, Never>
}

/// Calls its handlers at once, twice, or never.
struct MyCallbacks: Callbacks {
    let lines = EventLog<String>()

    func add(first: Int, second: Int, completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
        completion(.success(first + second))
        completion(.success(0))
    }

    func touch(_ number: Int, _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        completion(number > 0 ? .success(()) : .failure(ErrorObject(code: 9, message: "not positive")))
    }

    func log(line: String, done: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        lines.record(line)
        done(.success(()))
    }

    func slow(then completion: @escaping @Sendable (Result<String, any Error>) -> Void) -> Task<Void, Never> { Task {} }
}

@Suite(.inTurn(within: .seconds(60)))
struct CompletionTests {
    private enum Outcome: Sendable, Equatable {
        case value(Int)
        case cancelled
        case other
    }

    @Test func theHandlerGetsTheResultOrTheError() async throws {
        let link = try await ServedLink(SessionConfiguration(), CallbacksService(MyCallbacks()))
        let callbacks: any Callbacks = CallbacksProxy(over: link.client)
        let sum = try await withCheckedThrowingContinuation { continuation in
            callbacks.add(first: 1, second: 2) { continuation.resume(with: $0) }
        }
        #expect(sum == 3)
        try await withCheckedThrowingContinuation { continuation in
            callbacks.touch(1) { continuation.resume(with: $0) }
        }
        let error = await #expect(throws: ErrorObject.self) {
            try await withCheckedThrowingContinuation { continuation in
                callbacks.touch(-1) { continuation.resume(with: $0) }
            }
        }
        #expect(error == ErrorObject(code: 9, message: "not positive"))
        await link.client.close()
    }

    @Test func aNotificationsHandlerIsCalledWhenItIsInTheOutbox() async throws {
        let mine = MyCallbacks()
        let link = try await ServedLink(SessionConfiguration(), CallbacksService(mine))
        let callbacks = CallbacksProxy(over: link.client)
        try await withCheckedThrowingContinuation { continuation in
            callbacks.log(line: "x") { continuation.resume(with: $0) }
        }
        #expect(await mine.lines.wait(count: 1) == ["x"])
        await link.client.close()
    }

    @Test func callsGoOutInTheOrderInWhichTheyAreMade() async throws {
        let link = try await ScriptedLink()
        let callbacks = CallbacksProxy(over: link.client)
        for number in 0..<200 { callbacks.add(first: number, second: 0) { _ in } }
        for number in 0..<200 as Range<Int64> {
            let request = try await link.peer.expectRequest("add")
            #expect(request.params?["first"] == .number(JSONNumber(number)))
        }
        try await link.close()
    }

    @Test func theHandlerIsCalledOnTheQueue() async throws {
        let link = try await ServedLink(SessionConfiguration(), CallbacksService(MyCallbacks()))
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "completions")
        queue.setSpecific(key: key, value: "here")
        let callbacks = CallbacksProxy(over: link.client, completionQueue: .queue(queue))
        let place = await withCheckedContinuation { continuation in
            callbacks.add(first: 1, second: 2) { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key))
            }
        }
        #expect(place == "here")
        await link.client.close()
    }

    @Test func cancellingTheReturnedTaskGivesTheHandlerACancellationError() async throws {
        let link = try await ScriptedLink()
        let log = EventLog<Bool>()
        let call = CallbacksProxy(over: link.client).slow { result in
            if case .failure(let error) = result { log.record(error is CancellationError) } else { log.record(false) }
        }
        try await link.peer.expectRequest("slow")
        call.cancel()
        #expect(await log.wait(count: 1) == [true])
        try await link.close()
    }

    /// In JRPCProxy, a proxy that was released before the answer never called its handler.
    @Test func jrpcProxyReleasedProxyStillCallsItsHandler() async throws {
        let link = try await ScriptedLink()
        let log = EventLog<Int>()
        var callbacks: CallbacksProxy? = CallbacksProxy(over: link.client)
        callbacks?.add(first: 1, second: 2) { log.record((try? $0.get()) ?? -1) }
        callbacks = nil
        try link.peer.reply(to: await link.peer.expectRequest("add"), result: 3)
        #expect(await log.wait(count: 1) == [3])
        try await link.close()
    }

    @Test func aServedMethodThatLosesItsHandlerIsAnsweredWithAnError() async throws {
        let link = try await ScriptedLink()
        link.client.serve(CallbacksService(MyCallbacks()))
        try link.peer.request("slow", id: 1)
        #expect(try await link.peer.expectResponse(to: 1).outcome == .failure(ErrorObject(.internalError)))
        try await link.close()
    }
}
