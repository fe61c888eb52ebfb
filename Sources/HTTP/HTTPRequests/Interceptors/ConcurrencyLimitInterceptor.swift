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
            stream.mapSource { PermittedSource(base: $0, permit: permit) }
            return (head, stream)
        } catch {
            permit.giveBack()
            throw error
        }
    }
}

/// A body that gives back a permit at its end, or when it is released.
private struct PermittedSource: HTTPByteSource {
    var base: any HTTPByteSource
    let permit: Permit

    mutating func next() async throws -> ArraySlice<UInt8>? {
        var piece: ArraySlice<UInt8>?
        defer { if piece == nil { permit.giveBack() } }
        piece = try await base.next()
        return piece
    }
}

/// A place of a gate, which is given back once, at the latest when it is released.
private final class Permit: Sendable {
    private let gate: RequestGate
    private let isGivenBack = Atomic(false)

    init(of gate: RequestGate) async throws {
        try await gate.enter()
        self.gate = gate
    }

    deinit { giveBack() }

    func giveBack() {
        if !isGivenBack.exchange(true, ordering: .relaxed) { gate.leave(isAnswered: false) }
    }
}
