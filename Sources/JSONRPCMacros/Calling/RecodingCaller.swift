// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import JSONRPCSession
public import WireJSON

/// Makes calls over another caller, with a coder of its own.
public struct RecodingCaller: JSONRPCCaller {
    private let base: any JSONRPCCaller
    public let coder: any MessageCoder

    fileprivate init(base: any JSONRPCCaller, coder: any MessageCoder) {
        self.base = base
        self.coder = coder
    }

    public func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        try await base.callRaw(method, params: params, timeout: timeout, options: options)
    }

    public func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        try await base.notifyRaw(method, params: params, options: options)
    }

    public func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await base.batch(entries, timeout: timeout)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try await base.batch(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
    }
}

extension JSONRPCCaller {
    /// The same caller, which encodes params and decodes results with another coder.
    public func coding(with coder: any MessageCoder) -> RecodingCaller { RecodingCaller(base: self, coder: coder) }
}
