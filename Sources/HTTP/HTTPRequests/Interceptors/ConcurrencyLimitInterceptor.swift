// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes
import Synchronization

/// Limits the number of requests in flight. Further requests wait in order, and can be cancelled while they wait.
///
/// A request is in flight until the body of its response was read to its end or released.
public final class ConcurrencyLimitInterceptor: HTTPInterceptor {
    private let gate: RequestGate

    /// Makes an interceptor.
    ///
    /// - Parameter limit: The largest number of requests in flight, at least 1.
    public init(limit: Int) { gate = RequestGate(limit: limit) }

    /// The number of requests that wait.
    public var waitingRequests: Int { gate.waitingCount }

    public func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> (HTTPResponse, HTTPByteStream) {
        let permit = try await Permit(of: gate)
        do {
            let (head, stream) = try await next(request, body: body, context: context)
            stream.mapSource { PermittedSource($0, permit) }
            return (head, stream)
        } catch {
            permit.giveBack()
            throw error
        }
    }
}

/// A body that gives back a permit at its end, or when it is released.
private final class PermittedSource: HTTPByteSource {
    private let base: any HTTPByteSource
    private let permit: Permit

    init(_ base: any HTTPByteSource, _ permit: Permit) {
        self.base = base
        self.permit = permit
    }

    func next() async throws -> ArraySlice<UInt8>? {
        do {
            if let piece = try await base.next() { return piece }
        } catch {
            permit.giveBack()
            throw error
        }
        permit.giveBack()
        return nil
    }
}

/// A place of a gate, which is given back once, at the latest when it is released.
private final class Permit: Sendable {
    private let gate: Mutex<RequestGate?>

    /// Waits for a place.
    init(of gate: RequestGate) async throws {
        try await gate.enter()
        self.gate = Mutex(gate)
    }

    deinit { giveBack() }

    func giveBack() { gate.withLock { $0.take() }?.leave(isAnswered: false) }
}
